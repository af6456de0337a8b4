import { gzipSync } from 'node:zlib'
import type { Import } from '@portico/contract/imports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type FinishedImport, runImport } from '#imports'
import { importWorkers } from '#test/processes/import-workers.ts'
import { contactsOf, ended, importFile, submit, twoContacts } from '#test/resources/imports.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// An import that is cancelled after a worker has read its row and before the worker has claimed it.

const path = '/contact-service/v1/imports'
const settings = { generatePURL: true, dedupHashMatching: true, purlColumns: ['First'], dedupColumns: ['Email'] }

let portal: TestPortal
let member: Member

beforeEach(async () => {
  // Without a worker, which the test starts at the right moment.
  portal = await startPortal()
  member = await portal.member(await portal.account())
})
afterEach(() => portal.close())

/** Resolves when a connection waits for a lock in a statement with this text. */
async function blockedIn(text: string): Promise<void> {
  await vi.waitUntil(
    async () => (await lockWaits(portal.parts.database.pool)).some((statement) => statement.includes(text)),
    { timeout: 20_000, interval: 20 },
  )
}

/**
 * Cancels the import while a worker claims it: the request has changed the row, but cannot commit before the worker,
 * which has read the previous version of the row, waits to claim it.
 */
async function cancelDuringClaim(id: string): Promise<void> {
  const holder = await portal.parts.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE portico.audit_log IN SHARE MODE')
    const cancelling = member.put(`${path}/${id}`, { cancel: true })
    await blockedIn('insert into "portico"."audit_log"')
    await portal.startWorker()
    await blockedIn(`UPDATE "account_${member.account}"."imports"`)
    await holder.query('COMMIT')
    expect((await cancelling).status).toBe(200)
  } finally {
    holder.release(true)
  }
}

async function expectNothingOf(importId: string): Promise<void> {
  const schema = `account_${member.account}`
  const { rows } = await portal.parts.database.pool.query(
    `SELECT (SELECT count(*)::int FROM ${schema}.contact_keys) AS keys,
       (SELECT count(*)::int FROM ${schema}.import_batches WHERE import_id = $1) AS batches,
       (SELECT count(*)::int FROM pg_tables WHERE schemaname = $2 AND tablename LIKE 'stage%') AS stages`,
    [importId, schema],
  )
  expect(rows).toEqual([{ keys: 0, batches: 0, stages: 0 }])
  expect(await contactsOf(member)).toEqual([])
}

test.each([
  ['that has not run yet', 'waiting', { startDate: null, recoveryCount: 0 }],
  ['whose last worker died', 'recovery', { recoveryCount: 2 }],
])(
  'cancelling an import %s rejects it without loading anything, and the next one runs',
  async (_, status, expected) => {
    const { _id } = await submit(portal, member, twoContacts, settings)
    if (status === 'recovery') {
      await portal.parts.database.pool.query(
        `UPDATE account_${member.account}.imports SET status = 'recovery', recovery_count = 1, started_at = now() WHERE id = $1`,
        [_id],
      )
    }
    await cancelDuringClaim(_id)
    expect(await ended(member, _id)).toMatchObject({
      status: 'rejected',
      recoveryError: 'cancelled by the user',
      purlStatus: 'rejected',
      createdRecords: 0,
      ...expected,
    })
    await expectNothingOf(_id)
    // The worker claims it after the cancelled one has ended.
    const next = await importFile(portal, member, twoContacts, settings)
    expect(next).toMatchObject({ status: 'completed', createdRecords: 2 })
    expect((await member.get(`${path}/${_id}`)).json<Import>()).toMatchObject({ status: 'rejected', createdRecords: 0 })
    expect(await contactsOf(member)).toHaveLength(2)
  },
)

test('an import cancelled during its automatic export ends as cancelled', async () => {
  const { _id } = await submit(portal, member, twoContacts, settings)
  const { database, storage, log } = portal.parts
  const rejected: (string | null)[] = []
  const deps = {
    database,
    storage,
    log,
    onCompleted: async () => {
      expect((await member.put(`${path}/${_id}`, { cancel: true })).status).toBe(200)
    },
    onRejected: async (_tx: unknown, _account: number, row: FinishedImport) => void rejected.push(row.recovery_error),
  }
  await runImport(deps, member.account, Number(_id), new AbortController().signal)
  const cancelled = { status: 'rejected', recoveryError: 'cancelled by the user', purlStatus: 'rejected' }
  expect((await member.get(`${path}/${_id}`)).body).toMatchObject({ ...cancelled, createdRecords: 2 })
  expect(rejected).toEqual(['cancelled by the user'])
  expect(await contactsOf(member)).toHaveLength(2)
})

test('an import of a small archive with millions of tiny rows can be cancelled while it is examined', async () => {
  const content = gzipSync(`First\n${',\n'.repeat(3_000_000)}`)
  const { _id } = await submit(portal, member, content, { filePath: 'tiny.csv.gz' })
  await portal.startWorker()
  const isExamining = async () => (await member.get(`${path}/${_id}`)).json<Import>().phase === 'examining'
  await vi.waitUntil(isExamining, { interval: 20, timeout: 10_000 })
  expect((await member.put(`${path}/${_id}`, { cancel: true })).status).toBe(200)
  const cancelledAt = performance.now()
  expect(await ended(member, _id)).toMatchObject({ status: 'rejected', recoveryError: 'cancelled by the user' })
  // The worker checks every second; the rest allows for a busy machine.
  expect(performance.now() - cancelledAt).toBeLessThan(8000)
})

test('cancelling an import whose worker died while dropping the first indexes restores them', async () => {
  const schema = `account_${member.account}`
  const { pool } = portal.parts.database
  const stateOf = async (_member: Member, id: string) => {
    const { rows } = await pool.query<{ status: string }>(`SELECT status FROM ${schema}.imports WHERE id = $1`, [id])
    const waits = await lockWaits(pool)
    return { status: rows[0]?.status ?? 'gone', isDropping: waits.some((text) => text.includes('DROP CONSTRAINT')) }
  }
  const { killWhen, finish } = importWorkers(() => portal, stateOf)
  const keyed = async () => {
    const { rows } = await pool.query<{ keyed: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_index WHERE indrelid = '${schema}.contact_keys'::regclass AND indisprimary) AS keyed`,
    )
    return rows[0]?.keyed
  }
  const { _id } = await submit(portal, member, twoContacts, settings)
  const reader = await pool.connect()
  await reader.query(`BEGIN; LOCK TABLE ${schema}.contact_keys IN ACCESS SHARE MODE`)
  expect(await killWhen(member, _id, ({ isDropping }) => isDropping)).toBe(true)
  await reader.query('COMMIT')
  reader.release()
  // The dead worker's statement is still running.
  await expect.poll(keyed).toBe(false)
  expect((await member.put(`${path}/${_id}`, { cancel: true })).status).toBe(200)
  expect(await finish(member, _id)).toMatchObject({ status: 'rejected' })
  expect(await keyed()).toBe(true)
  expect(await contactsOf(member)).toEqual([])
})
