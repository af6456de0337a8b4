import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordEvents } from '#contacts'
import { addContacts } from '#test/resources/contacts.ts'
import { newEvent } from '#test/resources/events.ts'
import { ended, importFile, submit } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { killProcessWhen, startJob } from '#test/processes/job-process.ts'

// Bulk deletes whose worker dies, or that run at the same time as an import.

const offers = '/contact-service/v1/offers'

let portal: TestPortal
/** The same database, and a worker that takes jobs. */
let working: TestPortal
beforeAll(async () => {
  // No worker in this process: the tests start their own and kill it.
  portal = await startPortal()
  working = await startPortal()
  await working.startWorker()
})
afterAll(async () => {
  await portal.close()
  await working.close()
})

const contactCount = 60_000
const targetCount = 40_000

/** Contacts whose rank counts from 0, with keys and an event each. */
async function manyContacts(account: number): Promise<string> {
  const schema = `account_${account}`
  const { pool } = portal.parts.database
  await pool.query(`ALTER TABLE ${schema}.contacts ADD COLUMN c1 double precision`)
  await pool.query(
    `INSERT INTO ${schema}.fields (id, name, type, part, created_at) VALUES (1, 'Rank', 'number', 1, now())`,
  )
  const series = `generate_series(0, ${contactCount - 1}) AS i`
  await pool.query(
    `INSERT INTO ${schema}.contacts (id, import_id, c1) SELECT (1::bigint << 33) + i, 1, i FROM ${series}`,
  )
  await pool.query(`INSERT INTO ${schema}.contact_keys (id) SELECT (1::bigint << 33) + i FROM ${series}`)
  await pool.query(
    `INSERT INTO ${schema}.events (id, contact_id, event_code, event_date, is_trigger)
     SELECT gen_random_uuid(), (1::bigint << 33) + i, 'open', now(), false FROM ${series}`,
  )
  return schema
}

type State = { status: string; processed: number }

async function stateOf(schema: string): Promise<State | undefined> {
  const { rows } = await portal.parts.database.pool.query<State>(
    `SELECT status, processed_records::int AS processed FROM ${schema}.deletes ORDER BY id DESC LIMIT 1`,
  )
  return rows[0]
}

const startProcess = (account: number) => startJob(portal, 'delete-process.ts', account, '1')

test('killing the delete repeatedly deletes exactly the counted contacts', { timeout: 240_000 }, async () => {
  const account = await portal.account()
  const member = await portal.member(account)
  const schema = await manyContacts(account)
  const filter = [{ $match: { Rank: { $lt: targetCount } } }]
  const asked = member.delete(offers, { filter, deletedRecords: targetCount })
  await expect.poll(() => stateOf(schema)).toEqual({ status: 'processing', processed: 0 })

  // Contacts that match only now were not counted, and are kept.
  await portal.parts.database.pool.query(
    `INSERT INTO ${schema}.contacts (id, import_id, c1) VALUES ((1::bigint << 33) + 1000000, 1, -1)`,
  )
  // An application still records events of a contact in the first chunk.
  const seen: number[] = []
  let kills = 0
  while (kills < 3) {
    const before = (await stateOf(schema))?.processed ?? 0
    const isKilled = await killProcessWhen(startProcess(account), async () => {
      const state = await stateOf(schema)
      return state !== undefined && state.processed > before && state.status === 'processing'
    })
    kills += Number(isKilled)
    seen.push((await stateOf(schema))?.processed ?? 0)
  }
  expect(seen.at(-1)).toBeLessThan(targetCount)
  await portal.parts.database.pool.query(
    `INSERT INTO ${schema}.events (id, contact_id, event_code, event_date, is_trigger)
     VALUES (gen_random_uuid(), 1::bigint << 33, 'late', now(), false)`,
  )
  // Two concurrent processes take turns.
  await Promise.all([startProcess(account), startProcess(account)].map((worker) => once(worker, 'exit')))

  expect((await asked).body).toEqual({ deletedCount: targetCount })
  expect(await stateOf(schema)).toEqual({ status: 'completed', processed: targetCount })
  const { rows } = await portal.parts.database.pool.query(
    `SELECT (SELECT count(*)::int FROM ${schema}.contacts) AS contacts, (SELECT min(c1) FROM ${schema}.contacts) AS first,
       (SELECT count(*)::int FROM ${schema}.contacts WHERE c1 >= 0 AND c1 < ${targetCount}) AS targets,
       (SELECT count(*)::int FROM ${schema}.contact_keys) AS keys, (SELECT count(*)::int FROM ${schema}.events) AS events,
       (SELECT count(*)::int FROM ${schema}.delete_targets) AS left`,
  )
  const kept = contactCount - targetCount
  expect(rows).toEqual([{ contacts: kept + 1, first: -1, targets: 0, keys: kept, events: kept, left: 0 }])
})

function people(from: number, to: number, note: string): string {
  let text = 'Email,Name,Group,Note\n'
  for (let at = from; at < to; at++) text += `p${at}@example.com,Name ${at},${at % 2 ? 'odd' : 'even'},${note} ${at}\n`
  return text
}

const dedup = {
  generatePURL: true,
  dedupHashMatching: true,
  purlColumns: ['Name'],
  dedupColumns: ['Email'],
  purlGenerationScope: 'account' as const,
}

test(
  'an import updating the same contacts during a delete completes, and no deleted contact remains',
  { timeout: 120_000 },
  async () => {
    const member: Member = await working.member(await working.account())
    const schema = `account_${member.account}`
    const { pool } = working.parts.database
    await importFile(working, member, people(0, 40_000, 'first'), dedup)
    const second = await submit(working, member, people(0, 80_000, 'second'), dedup)
    const phase = async () =>
      (await pool.query<{ phase: string }>(`SELECT phase FROM ${schema}.imports WHERE id = 2`)).rows[0]?.phase
    // The import has matched its rows to contacts.
    await expect.poll(phase, { timeout: 60_000, interval: 5 }).toBe('loading')
    const filter = [{ $match: { Group: 'even', Import: 1 } }]
    const answer = await member.delete(offers, { filter, deletedRecords: 20_000 })
    expect([answer.status, answer.body]).toEqual([200, { deletedCount: 20_000 }])
    const imported = await ended(member, second._id)
    expect(imported).toMatchObject({ status: 'completed', processedRecords: 80_000, recoveryCount: 0 })
    const swept = async () => (await pool.query(`SELECT needs_sweep FROM ${schema}.deletes`)).rows
    await expect.poll(swept).toEqual([{ needs_sweep: false }])
    const { rows } = await pool.query(
      `SELECT count(*)::int AS contacts, count(*) FILTER (WHERE c3 = 'even' AND c.import_id = 1)::int AS targets,
         count(*) FILTER (WHERE c4 LIKE 'second%')::int AS updated, count(k.id)::int AS keys,
         (SELECT count(*)::int FROM ${schema}.contact_keys) AS "allKeys"
       FROM ${schema}.contacts AS c LEFT JOIN ${schema}.contact_keys AS k ON k.id = c.id`,
    )
    expect(rows).toEqual([{ contacts: 60_000, targets: 0, updated: 60_000, keys: 60_000, allKeys: 60_000 }])
    // When a later file has a deleted contact again, it becomes a new contact.
    const third = await importFile(working, member, people(0, 2, 'third'), dedup)
    expect(third).toMatchObject({ status: 'completed', createdRecords: 1, updatedRecords: 1 })
  },
)

test('rows that an import writes for contacts deleted meanwhile are removed when the import ends', async () => {
  const member = await working.member(await working.account())
  const schema = `account_${member.account}`
  const { pool } = working.parts.database
  await importFile(working, member, people(0, 10, 'first'), dedup)
  await member.delete(offers, { filter: [{ $match: { Email: 'p3@example.com' } }], deletedRecords: 1 })
  // The state left by an import that had looked up contacts before the delete, and is still running after it.
  await pool.query(`UPDATE ${schema}.deletes SET needs_sweep = true`)
  await pool.query(`INSERT INTO ${schema}.contact_keys (id, dedup_hash) VALUES (5, $1)`, [
    '00000000-0000-4000-8000-000000000000',
  ])
  await importFile(working, member, people(3, 4, 'second'), dedup)
  const keys = async () =>
    (await pool.query(`SELECT count(*)::int AS keys, min(id) > 5 AS swept FROM ${schema}.contact_keys`)).rows
  await expect.poll(keys).toEqual([{ keys: 10, swept: true }])
  const sweeps = async () => (await pool.query(`SELECT needs_sweep FROM ${schema}.deletes`)).rows
  await expect.poll(sweeps).toEqual([{ needs_sweep: false }])
})

test('a request waits for its delete despite broken database connections', async () => {
  const { database } = working.parts
  const account = await working.account()
  const member = await working.member(account)
  await addContacts(database, account, { Name: 'string' }, [{ Name: 'Ada' }, { Name: 'Eve' }])
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    // Held since before the delete began, which prevents it from deleting the contacts.
    await client.query(`SELECT FROM account_${account}.contacts FOR UPDATE`)
    const asked = member.delete(offers, { filter: [{ $match: { Name: 'Ada' } }], deletedRecords: 1 })
    await expect
      .poll(async () => (await client.query(`SELECT FROM account_${account}.deletes`)).rowCount, { interval: 1 })
      .toBe(1)
    // Each attempt of the delete waits for this row until its lock timeout, and is interrupted halfway.
    await client.query(`SELECT FROM account_${account}.deletes FOR UPDATE`)
    const others = `pg_stat_activity
      WHERE datname = current_database() AND application_name = 'portico' AND pid <> pg_backend_pid()`
    const connected = async () => (await client.query(`SELECT FROM ${others}`)).rowCount
    for (let at = 0; at < 10; at++) {
      await client.query(`SELECT pg_terminate_backend(pid) FROM ${others}`)
      // The request or the worker is back, at any moment of its work.
      await expect.poll(connected, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0)
    }
    await client.query('ROLLBACK')
    expect(await asked).toMatchObject({ status: 200, body: { deletedCount: 1 } })
  } finally {
    client.release()
  }
  expect((await member.get(`${offers}?count=1`)).body).toEqual({ count: 1 })
})

test('events recorded during a delete are deleted with their contact in either order', async () => {
  const { database } = working.parts
  const account = await working.account()
  const member = await working.member(account)
  const [contactId = ''] = await addContacts(database, account, { Name: 'string' }, [{ Name: 'Ada' }])
  let asked: Promise<Answer> | undefined
  const logged = vi.spyOn(working.parts.log, 'info')
  await database.db.transaction().execute(async (tx) => {
    expect(await recordEvents(tx, account, [newEvent(contactId)])).toBe(1)
    asked = member.delete(offers, { filter: [{ $match: { Name: 'Ada' } }], deletedRecords: 1 })
    // The delete has met the lock of the event, and tries again.
    const waits = 'a job waits for something else that writes the same contacts'
    await expect.poll(() => logged.mock.calls.flat(), { timeout: 20_000 }).toContain(waits)
  })
  expect(await asked).toMatchObject({ status: 200, body: { deletedCount: 1 } })
  expect(await recordEvents(database.db, account, [newEvent(contactId)])).toBe(0)
  const left = await database.pool.query(`SELECT FROM account_${account}.events`)
  expect(left.rowCount).toBe(0)
})
