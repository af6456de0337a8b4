import { foldName } from '@portico/domain/names'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClient } from '#platform/database.ts'
import { migrate, migrateAccounts } from '#platform/migrations.ts'
import { coordinatorMessage } from '#test/stand-ins/lost-server.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accountTimeZone, createAccount, listAccounts, requireAccount } from './accounts.service.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const query = (text: string, values: unknown[] = []) => portal.parts.database.pool.query(text, values)

async function hasSchema(account: number): Promise<boolean> {
  const { rowCount } = await query('SELECT FROM pg_namespace WHERE nspname = $1', [`account_${account}`])
  return rowCount === 1
}

const isListed = async (account: number): Promise<boolean> =>
  (await listAccounts(portal.parts.database.db)).some(({ Key }) => Key === account)

/**
 * An account left by a process of an earlier release that was killed after adding the account and before creating its
 * schema.
 */
async function halfMadeAccount(name: string): Promise<number> {
  const { rows } = await query('INSERT INTO portico.accounts (name, name_key) VALUES ($1, $2) RETURNING id', [
    name,
    foldName(name),
  ])
  return (rows[0] as { id: number }).id
}

describe('createAccount', () => {
  test('creates the schema and stores the time zone', async () => {
    const { database } = portal.parts
    const account = await createAccount(database, { name: 'Zurich', parent: null, timeZone: 'Europe/Zurich' })
    expect(await hasSchema(account)).toBe(true)
    expect(await accountTimeZone(database.db, account)).toBe('Europe/Zurich')
    expect(await accountTimeZone(database.db, await portal.account())).toBe('UTC')
  })

  test('refuses a taken name in any case, a blank name, and a parent that is a sub-account', async () => {
    const { database } = portal.parts
    const parent = await portal.account('Straße')
    await expect(createAccount(database, { name: ' STRASSE', parent: null })).resolves.toBeGreaterThan(0)
    await expect(createAccount(database, { name: ' sTRAßE ', parent: null })).rejects.toMatchObject({
      code: 'name_taken',
    })
    await expect(createAccount(database, { name: '  ', parent: null })).rejects.toMatchObject({ code: 'invalid_input' })
    const child = await portal.account(undefined, parent)
    await expect(createAccount(database, { name: 'Grandchild', parent: child })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  test('called twice at the same time with one name creates one account', async () => {
    const { database } = portal.parts
    const draft = { name: 'Wanted twice', parent: null }
    const results = await Promise.allSettled([createAccount(database, draft), createAccount(database, draft)])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await listAccounts(database.db)).filter(({ Value }) => Value === draft.name)).toHaveLength(1)
  })

  test('leaves nothing behind when its process dies, and can be called again', async () => {
    const { database } = portal.parts
    const account = (await portal.account()) + 1
    // The creation waits for this schema, which is never committed.
    const blocker = openClient(database.url, 'blocker')
    await blocker.connect()
    await blocker.query(`BEGIN; CREATE SCHEMA account_${account}`)
    const outcome = createAccount(database, { name: 'Cut off', parent: null }).catch((error: unknown) => error)
    const waiting = `application_name = 'portico migrations' AND datname = current_database() AND wait_event_type = 'Lock'`
    await vi.waitUntil(async () => {
      const { rowCount } = await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`)
      return rowCount === 1
    })
    expect(await outcome).toBeInstanceOf(Error)
    await blocker.end()
    expect(await hasSchema(account)).toBe(false)
    expect((await query(`SELECT FROM portico.accounts WHERE name = 'Cut off'`)).rowCount).toBe(0)
    const again = await createAccount(database, { name: 'Cut off', parent: null })
    expect(await isListed(again)).toBe(true)
  })

  test('is refused while a database server is unavailable, and leaves nothing behind', async () => {
    await query(
      `CREATE FUNCTION portico.refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION '${coordinatorMessage}' USING ERRCODE = '08006'; END $$`,
    )
    await query(
      `CREATE TRIGGER away BEFORE INSERT ON portico.audit_log FOR EACH ROW
       WHEN (NEW.subject = 'Too early') EXECUTE FUNCTION portico.refuse()`,
    )
    const admin = await portal.powerAdmin()
    const reply = await admin.post('/identity/v1/accounts', { name: 'Too early' })
    expect(reply).toMatchObject({
      status: 503,
      headers: { 'retry-after': '60' },
      body: { error: { code: 'server_away', message: expect.stringContaining('Nothing was created') } },
    })
    expect(JSON.stringify(reply.body)).not.toMatch(/10\.9\.8\.7|5433|portico_role/)
    await query('DROP TRIGGER away ON portico.audit_log')
    expect((await query(`SELECT FROM portico.accounts WHERE name = 'Too early'`)).rowCount).toBe(0)
    expect(await admin.post('/identity/v1/accounts', { name: 'Too early' })).toMatchObject({ status: 201 })
  })
})

describe('an account whose creation was interrupted', () => {
  test('is not listed, cannot be entered, and gets no identities or sub-accounts', async () => {
    const { database } = portal.parts
    const admin = await portal.powerAdmin()
    const account = await halfMadeAccount('Hidden')
    expect(await isListed(account)).toBe(false)
    await expect(requireAccount(database.db, account)).rejects.toMatchObject({ code: 'not_found' })
    const lists = ['/identity/v1/accounts', '/identity/v1/accounts/details']
    for (const path of lists) expect(JSON.stringify((await admin.get(path)).body)).not.toContain('Hidden')
    expect((await admin.get(`/identity/v1/login/${account}`)).status).toBeGreaterThanOrEqual(400)
    const powerUser = await admin.post(`/identity/v1/accounts/${account}/power-users`, { email: 'eve@example.com' })
    expect(powerUser.status).toBe(404)
    const sub = createAccount(database, { name: 'Sub of hidden', parent: account })
    await expect(sub).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is skipped by the sweep for expired files', async () => {
    await halfMadeAccount('Unswept')
    await expect(portal.removeExpiredFiles()).resolves.toBe(0)
  })

  test('is completed by the next start', async () => {
    const account = await halfMadeAccount('Stopped')
    await migrate(portal.parts.database.url)
    expect(await hasSchema(account)).toBe(true)
    expect(await isListed(account)).toBe(true)
  })

  test('is completed when it is created again', async () => {
    const account = await halfMadeAccount('Tried again')
    await expect(createAccount(portal.parts.database, { name: 'tried again', parent: null })).resolves.toBe(account)
    expect(await hasSchema(account)).toBe(true)
    expect(await isListed(account)).toBe(true)
  })

  test('is completed by a running worker, even when only the final step is missing', async () => {
    const account = await portal.account()
    await query('UPDATE portico.accounts SET schema_version = NULL WHERE id = $1', [account])
    expect(await isListed(account)).toBe(false)
    const half = await halfMadeAccount('Found by the worker')
    expect(await migrateAccounts(portal.parts.database)).toEqual([])
    expect(await isListed(account)).toBe(true)
    expect(await isListed(half)).toBe(true)
  })
})
