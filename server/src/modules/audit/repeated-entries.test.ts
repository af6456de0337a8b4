import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRepeatedEntries, recordRepeated } from '#audit'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const failure = (subject: string) => ({
  account: null,
  actor: subject,
  address: '192.0.2.1',
  via: { kind: 'sign-in' as const },
  action: 'tried',
  subject,
})
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

async function lines(action = 'tried'): Promise<{ subject: string; count: number }[]> {
  const read = 'SELECT subject, count FROM portico.audit_log WHERE action = $1 ORDER BY subject'
  return (await portal.parts.database.pool.query<{ subject: string; count: number }>(read, [action])).rows
}

test('equal entries of one minute are one line, even from different processes', async () => {
  const { database, log } = portal.parts
  const at = new Date()
  const processes = [1, 2].map(() => createRepeatedEntries(database.db, log, () => at))
  for (const { add } of processes) for (let index = 0; index < 5; index++) add(failure('ada@example.com'))
  await Promise.all(processes.map(({ close }) => close()))
  expect(await lines()).toEqual([{ subject: 'ada@example.com', count: 10 }])
})

test('a flood of different entries is limited to 1,000 lines, and the rest are counted', async () => {
  const { database, log } = portal.parts
  const at = inDays(1)
  const repeated = createRepeatedEntries(database.db, log, () => at)
  for (let index = 0; index < 5000; index++)
    repeated.add({ ...failure(`flood-${index}@example.com`), action: 'flooded' })
  await repeated.close()
  const written = await lines('flooded')
  expect(written).toHaveLength(1001)
  expect(written).toContainEqual({ subject: 'others', count: 4000 })
})

test('entries survive a failed write to the database', async () => {
  const { database, log } = portal.parts
  const at = inDays(2)
  const repeated = createRepeatedEntries(database.db, log, () => at)
  const { pool } = database
  await pool.query('ALTER TABLE portico.audit_log RENAME TO audit_log_away')
  repeated.add({ ...failure('bob@example.com'), action: 'kept' })
  await repeated.flush()
  await pool.query('ALTER TABLE portico.audit_log_away RENAME TO audit_log')
  repeated.add({ ...failure('bob@example.com'), action: 'kept' })
  await repeated.close()
  expect(await lines('kept')).toEqual([{ subject: 'bob@example.com', count: 2 }])
})

test('an entry of a failed transaction is not written', async () => {
  const { db } = portal.parts.database
  const entry = { ...failure('eve@example.com'), action: 'undone' }
  await db
    .transaction()
    .execute(async (tx) => {
      await recordRepeated(tx, entry)
      throw new Error('undo')
    })
    .catch(() => {})
  await recordRepeated(db, entry)
  expect(await lines('undone')).toEqual([{ subject: 'eve@example.com', count: 1 }])
})
