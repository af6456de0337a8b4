import type { Identity } from '@portico/contract/identities'
import { changePersonEmail, listPersonConflicts } from '#sign-in'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { groupId, listed, logOf } from '#test/kit/administration.ts'
import { messagesTo, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

// The database of an earlier release, in which people were found by `lower` of their email. Each gets the key of the
// address; people with the same key cannot be found until the operator has changed all but one (ADR 0081).

const [unicode, ascii] = ['bob@münchen.example', 'bob@xn--mnchen-3ya.example']
const many = 50_000

let portal: TestPortal
let north: Member
let south: Member
let migration: Promise<unknown>

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  north = await portal.member(await portal.account('North'))
  south = await portal.member(await portal.account('South'))
  for (const [account, email] of [
    [north.account, 'first@example.com'],
    [south.account, 'second@example.com'],
    [north.account, 'third@example.com'],
    [north.account, 'fourth@example.com'],
  ] as const) {
    await addMember(account, email)
  }
  await makeEarlier()
  migration = migrate(portal.parts.database.url)
})
afterAll(() => portal.close())

const query = async (text: string, values: unknown[] = []) =>
  (await portal.parts.database.pool.query<Record<string, string | null>>(text, values)).rows

async function addMember(account: number, email: string): Promise<void> {
  await query(
    `WITH person AS (INSERT INTO portico.persons (id, email, email_key, password_hash)
       SELECT gen_random_uuid(), $1, $1, password_hash FROM portico.persons WHERE email = $3 RETURNING id)
     INSERT INTO portico.identities (id, person_id, account_id, accepted_at)
     SELECT gen_random_uuid(), id, $2, now() FROM person`,
    [email, account, north.email],
  )
}

/** Undoes the migration, and writes addresses as an earlier release accepted them. */
async function makeEarlier(): Promise<void> {
  await query('ALTER TABLE portico.persons DROP COLUMN email_key, DROP COLUMN is_ambiguous')
  await query('CREATE UNIQUE INDEX persons_email_key ON portico.persons (lower(email))')
  const typed = { first: unicode, second: ascii, third: 'Ada@Straße.EXAMPLE', fourth: 'eve@example.com.' }
  for (const [name, email] of Object.entries(typed)) {
    await query('UPDATE portico.persons SET email = $1 WHERE email = $2', [email, `${name}@example.com`])
  }
  await query(
    `INSERT INTO portico.persons (id, email) SELECT gen_random_uuid(), 'Person' || n || '@Many.example'
     FROM generate_series(1, $1::int) n`,
    [many],
  )
  await query(`DELETE FROM portico.migrations WHERE name = '0029-email-keys.sql'`)
}

const signIn = (email: string) => portal.anonymous.post('/identity/v1/login', { email, password: testPassword })

test('a killed migration leaves nothing behind, and the next start completes it', async () => {
  const outcome = migration.then(
    () => 'completed',
    () => 'killed',
  )
  const killed = await vi.waitFor(
    async () => {
      const rows = await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'portico migrations' AND query LIKE '%new_email_keys%' AND datname = current_database()`,
      )
      expect(rows).toHaveLength(1)
      return rows
    },
    { timeout: 30_000, interval: 5 },
  )
  expect(killed).toHaveLength(1)
  expect(await outcome).toBe('killed')
  expect(await query(`SELECT 1 FROM information_schema.columns WHERE column_name = 'email_key'`)).toEqual([])
  await migrate(portal.parts.database.url)
  const [counts] = await query(
    `SELECT count(*)::int AS persons, count(DISTINCT email_key)::int AS keys FROM portico.persons
     WHERE email_key LIKE 'person%@many.example' AND NOT is_ambiguous`,
  )
  expect(counts).toEqual({ persons: many, keys: many })
})

describe('after the upgrade', () => {
  test('persons are found by any spelling of their address, which is normalized', async () => {
    for (const email of ['Ada@Straße.EXAMPLE', ' ADA@straße.example', 'ada@xn--strae-oqa.example']) {
      const user = { email: 'Ada@xn--strae-oqa.example' }
      expect(await signIn(email)).toMatchObject({ status: 200, body: { user } })
    }
    expect((await signIn('ada@strasse.example')).status).toBe(401)
    expect(await signIn(north.email)).toMatchObject({ status: 200 })
  })

  test('two persons with one address cannot sign in, get emails or be invited, and both are kept', async () => {
    for (const email of [unicode, ascii, ` ${unicode.toUpperCase()}`]) {
      expect(await signIn(email)).toMatchObject({ status: 401 })
      expect((await portal.anonymous.post('/identity/v1/forgot-password', { email })).status).toBe(204)
      const groups = [await groupId(north, 'Power users')]
      const problem = {
        field: 'email',
        message: 'Several people have this address. The operator of the portal can change that.',
      }
      expect(await north.post('/identity/v1/identities', { email, groups })).toMatchObject({
        status: 400,
        body: { error: { details: [problem] } },
      })
    }
    expect((await listed<Identity>(north, 'identities')).map(({ email }) => email)).toContain(unicode)
    expect((await listed<Identity>(south, 'identities')).map(({ email }) => email)).toContain(ascii)
    // An email that is sent shows that the previous ones were not.
    await portal.anonymous.post('/identity/v1/forgot-password', { email: north.email })
    await waitForMessage(portal, north.email)
    expect(await messagesTo(portal, ascii)).toEqual([])
  })

  test('identities of two persons with one address can be changed, and stay separate', async () => {
    const own = (await listed<Identity>(north, 'identities')).find(({ email }) => email === unicode)
    const changed = await north.put(`/identity/v1/identities/${own?._id}`, {
      email: ascii,
      groups: [await groupId(north, 'Power users')],
      userName: 'Bob of North',
    })
    expect(changed).toMatchObject({ status: 200, body: { email: unicode, userName: 'Bob of North', status: 'active' } })
  })

  test('the operator sees both persons and refused addresses', async () => {
    const conflicts = await listPersonConflicts(portal.parts.database.db)
    const reason = `Several people have the address ${ascii}.`
    const shared = { mailGoesTo: ascii, reason, lastSignInAt: null }
    expect(conflicts).toMatchObject([
      { email: unicode, ...shared, accounts: ['North'] },
      { email: ascii, ...shared, accounts: ['South'] },
      { email: 'eve@example.com.', mailGoesTo: null, reason: 'Remove the dot at the end of the address.' },
    ])
    expect(await signIn('eve@example.com.')).toMatchObject({ status: 401 })
  })

  test('both persons can sign in once one of them has another address', async () => {
    const { db } = portal.parts.database
    const [first, second, refused] = await listPersonConflicts(db)
    const by = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }
    const change = (id: string | undefined, email: string) => changePersonEmail(db, { id: id ?? '', email }, by)
    await expect(change(second?._id, ascii)).rejects.toMatchObject({ code: 'name_taken' })
    await expect(change(second?._id, 'bob@example.com.')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(change(second?._id, north.email)).rejects.toMatchObject({ code: 'name_taken' })
    await expect(change(crypto.randomUUID(), 'bob@example.com')).rejects.toMatchObject({ code: 'not_found' })
    expect(await change(second?._id, 'Bob@South.example')).toEqual({ email: 'Bob@south.example', ended: 0 })
    expect(await change(refused?._id, 'eve@example.com')).toMatchObject({ email: 'eve@example.com' })
    expect(await listPersonConflicts(db)).toEqual([])

    const accountsOf = async (email: string) => (await signIn(email)).json<{ accounts: { Value: string }[] }>().accounts
    expect(await accountsOf('bob@south.example')).toMatchObject([{ Value: 'South' }])
    for (const email of [unicode, ascii]) expect(await accountsOf(email)).toMatchObject([{ Value: 'North' }])
    expect(await accountsOf('eve@example.com')).toMatchObject([{ Value: 'North' }])
    expect(first?._id).not.toBe(second?._id)
    expect(await logOf(portal, 'Bob@south.example')).toContainEqual(
      expect.objectContaining({
        action: 'email changed',
        details: { email: { old: ascii, new: 'Bob@south.example' } },
      }),
    )
  })
})
