import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runImport } from '#imports'
import { contactFile, earlier, rowCount, settings } from '#test/processes/disturbed-imports.ts'
import { ended, importFile, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Imports that lose their connections or the disk, wait for readers, or are cancelled.

let portal: TestPortal

beforeAll(async () => {
  // No worker in this process: a test runs the attempts itself.
  portal = await startPortal()
})
afterAll(() => portal.close())

const patiently = { timeout: 50_000, interval: 20 }
const fullDisk = 'The disk is full. Retrying until there is space.'
const file = contactFile(rowCount)

describe('with a worker', () => {
  let busy: TestPortal
  let member: Member

  beforeAll(async () => {
    busy = await startPortal()
    await busy.startWorker()
    member = await busy.member(await busy.account())
  })
  afterAll(() => busy.close())

  test('an import resumes after the database drops all connections', { timeout: 120_000 }, async () => {
    const { _id } = await submit(busy, member, file, settings)
    await vi.waitUntil(async () => {
      const current = (await member.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
      return current.processedRecords > 0
    }, patiently)
    await busy.parts.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%COPY%'`,
    )
    expect(await ended(member, _id)).toMatchObject({
      status: 'completed',
      processedRecords: rowCount,
      createdRecords: rowCount * 0.9,
    })
  })

  test('a full disk is reported, and the import resumes once there is space again', { timeout: 120_000 }, async () => {
    const account = await busy.account()
    const owner = await busy.member(account)
    await fillDisk(busy, account)
    const { _id } = await submit(busy, owner, earlier, settings)
    const next = await submit(busy, owner, earlier, settings)
    await vi.waitUntil(async () => {
      const current = (await owner.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
      return current.status === 'recovery' && current.recoveryError === fullDisk
    }, patiently)
    await freeDisk(busy, account)
    const end = await ended(owner, _id)
    expect(end).toMatchObject({ status: 'completed', processedRecords: 2, recoveryError: null })
    // The account's next import waited for this one, and therefore matches its contacts.
    const nextEnd = await ended(owner, next._id)
    expect(nextEnd).toMatchObject({ status: 'completed', createdRecords: 0, unchangedRecords: 2 })
    expect(Date.parse(nextEnd.startDate ?? '')).toBeGreaterThanOrEqual(Date.parse(end.lastActivityDate ?? ''))
  })

  test('new fields wait for a long read of the contacts while searches continue', async () => {
    const owner = await busy.member(await busy.account())
    await importFile(busy, owner, earlier, settings)
    const reader = await busy.parts.database.pool.connect()
    await reader.query(`BEGIN; LOCK TABLE account_${owner.account}.contacts IN ACCESS SHARE MODE`)
    const { _id } = await submit(busy, owner, 'First,Last,Email,Score,Note,New\nA,B,c@x,1,n,new\n', settings)
    await vi.waitUntil(async () => {
      const { rows } = await busy.parts.database.pool.query(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = 'account_${owner.account}.contacts'::regclass`,
      )
      return rows.length > 0
    }, patiently)
    expect((await owner.get('/contact-service/v1/offers?limit=5')).status).toBe(200)
    await reader.query('COMMIT')
    reader.release()
    expect(await ended(owner, _id)).toMatchObject({ status: 'completed', createdRecords: 1, recoveryCount: 0 })
  })

  test('cancelling ends an import, and committed contacts stay complete', { timeout: 120_000 }, async () => {
    const owner = await busy.member(await busy.account())
    await importFile(busy, owner, earlier, settings)
    const { _id } = await submit(busy, owner, file, settings)
    await vi.waitUntil(async () => {
      const current = (await owner.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
      return current.phase === 'loading' && current.processedRecords > 0
    }, patiently)
    expect((await owner.put(`/contact-service/v1/imports/${_id}`, { cancel: true })).status).toBe(200)
    const end = await ended(owner, _id)
    expect(end).toMatchObject({ status: 'rejected', recoveryError: 'cancelled by the user', purlStatus: 'rejected' })
    const { rows } = await busy.parts.database.pool.query<{ contacts: number; purls: number }>(
      `SELECT (SELECT count(*)::int FROM account_${owner.account}.contacts) AS contacts,
         (SELECT count(DISTINCT (base_purl, purl_number))::int FROM account_${owner.account}.contact_keys) AS purls`,
    )
    expect(rows[0]).toEqual({ contacts: 2 + end.createdRecords, purls: 2 + end.createdRecords })
    expect((await owner.put(`/contact-service/v1/imports/${_id}`, { cancel: true })).status).toBe(409)
  })

  test(
    'cancelling works even after all rows are loaded, and their contacts are complete',
    { timeout: 120_000 },
    async () => {
      const owner = await busy.member(await busy.account())
      const { _id } = await submit(busy, owner, file, { ...settings, exportOnImportCompletion: true })
      await vi.waitUntil(async () => {
        const current = (await owner.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
        return current.phase === 'matching'
      }, patiently)
      expect((await owner.put(`/contact-service/v1/imports/${_id}`, { cancel: true })).status).toBe(200)
      const end = await ended(owner, _id)
      expect(end).toMatchObject({
        status: 'rejected',
        recoveryError: 'cancelled by the user',
        processedRecords: rowCount,
      })
      const { rows } = await busy.parts.database.pool.query<{ keys: number }>(
        `SELECT count(*)::int AS keys FROM account_${owner.account}.contact_keys`,
      )
      expect(rows[0]).toEqual({ keys: end.createdRecords })
      expect((await owner.get('/contact-service/v1/exports?count=')).body).toEqual({ count: 0 })
    },
  )
})

test('a full disk keeps an import waiting with its reason, for any number of attempts', async () => {
  const member = await portal.member(await portal.account())
  const { database, storage, log } = portal.parts
  await fillDisk(portal, member.account)
  const { _id } = await submit(portal, member, earlier, settings)
  const deps = { database, storage, log, onCompleted: async () => {}, onRejected: async () => {} }
  const run = () => runImport(deps, member.account, Number(_id), new AbortController().signal)
  const current = async () => (await member.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
  for (let attempt = 1; attempt <= 8; attempt++) {
    await expect(run()).rejects.toThrow('No space left on device')
    expect(await current()).toMatchObject({ status: 'recovery', recoveryCount: 0, recoveryError: fullDisk })
  }
  await freeDisk(portal, member.account)
  await run()
  expect(await current()).toMatchObject({ status: 'completed', processedRecords: 2, recoveryError: null })
})

/** Makes the database refuse new contacts of an account, like a full disk. */
async function fillDisk({ parts }: TestPortal, account: number): Promise<void> {
  const { pool } = parts.database
  await pool.query(`CREATE FUNCTION account_${account}.no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
  await withTriggers(
    parts,
    `CREATE TRIGGER no_room BEFORE INSERT ON account_${account}.contacts
     FOR EACH ROW EXECUTE FUNCTION account_${account}.no_room()`,
  )
}

async function freeDisk({ parts }: TestPortal, account: number): Promise<void> {
  await withTriggers(parts, `DROP TRIGGER no_room ON account_${account}.contacts`)
}

/** Citus allows triggers only with this setting; without Citus it has no effect. */
async function withTriggers({ database }: TestPortal['parts'], statement: string): Promise<void> {
  const client = await database.pool.connect()
  await client.query('SET citus.enable_unsafe_triggers = on')
  await client.query(statement)
  client.release(true)
}
