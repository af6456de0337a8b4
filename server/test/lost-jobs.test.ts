import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import pg from 'pg'
import { sendEmailAbout } from '#delivery'
import { runImport } from '#imports'
import { queueSegmentCounts } from '#segments'
import { jobKinds } from '../src/worker.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons } from '#test/resources/crons.ts'
import { deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { createExport, exportDraft } from '#test/resources/exports.ts'
import { submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { dashboardOf, instructionFor, peopleTable, reportCron } from '#test/resources/reports.ts'
import { askForReview } from '#test/resources/reviews.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'

// No row waits forever for a job that the queue has lost: it ends with one, or gets another.

let portal: TestPortal
const service = '/contact-service/v1'
const contacts = 1001

/** The row of a job in its account, and the column of its state. */
type Row = { account: number; table: string; id: string; column: string }

const aHook = {
  type: 'http' as const,
  method: 'post' as const,
  endpoint: 'http://127.0.0.1:9/hook',
  headers: {},
  body: { file: '{{url}}' },
}
const last = async ({ account }: Member, table: string): Promise<string> => {
  const { rows } = await portal.parts.database.pool.query<{ id: string }>(
    `SELECT max(id)::text AS id FROM account_${account}.${table}`,
  )
  return rows[0]?.id ?? ''
}

/** By the name of each kind with rows: creates a job of a person whose account has contacts. */
const makers: Record<string, { table: string; column?: string; make: (by: Member) => Promise<string> }> = {
  'run-import': {
    table: 'imports',
    make: async (by) => (await submit(portal, by, 'Name\nEve\n'))._id,
  },
  'run-import, which takes one back': {
    table: 'imports',
    column: 'undo_status',
    make: async (by) => {
      const { _id } = await submit(portal, by, 'Name\nEve\n')
      const deps = { ...portal.parts, onCompleted: async () => {}, onRejected: async () => {} }
      await runImport(deps, by.account, Number(_id), new AbortController().signal)
      expect(await by.post(`${service}/imports/${_id}/undo`)).toMatchObject({ status: 202 })
      return _id
    },
  },
  'run-import, which returns what was deleted': {
    table: 'deletes',
    column: 'restore_status',
    make: async (by) => {
      const filter = [{ $match: { Name: { $exists: true } } }]
      expect(await by.delete(`${service}/offers`, { filter, deletedRecords: 1 })).toMatchObject({ status: 200 })
      const id = await last(by, 'deletes')
      expect(await by.post(`${service}/deletes/${id}/restore`)).toMatchObject({ status: 202 })
      return id
    },
  },
  'run-import, which computes keys': {
    table: 'key_computations',
    make: async (by) => {
      expect(await by.post(`${service}/dedup-keys`, { dedupColumns: ['Name'] })).toMatchObject({ status: 202 })
      return last(by, 'key_computations')
    },
  },
  'review-import': {
    table: 'import_reviews',
    make: async (by) => (await askForReview(portal, by, 'Name\nEve\n'))._id,
  },
  'run-retype': {
    table: 'field_retypes',
    make: async (by) => {
      const asked = await by.put(`${service}/fields/1/type`, { reading: { type: 'boolean' }, broken: 0 })
      expect(asked).toMatchObject({ status: 200 })
      return last(by, 'field_retypes')
    },
  },
  'run-export': {
    table: 'exports',
    make: async (by) => (await createExport(by, exportDraft(['Name'])))._id,
  },
  'run-report': {
    table: 'reports',
    make: async (by) => {
      const cron = await addCron(by, reportCron(instructionFor(await dashboardOf(by, peopleTable))))
      expect(await by.post(`${crons}/${cron._id}/run`)).toMatchObject({ status: 202 })
      await runSchedulerOnce(portal.parts)
      return last(by, 'reports')
    },
  },
  // Refused by the portal's outbound guard, so it ends at once.
  'run-delivery': {
    table: 'deliveries',
    make: async (by) => (await deliveryOf(by, (await exportWith(portal, by, aHook))._id))._id,
  },
  'run-letter': {
    table: 'deliveries',
    make: async (by) => {
      const { database, jobs } = portal.parts
      const email = { to: ['not an address'], subject: 'S', text: 'T', html: '<p>T</p>' }
      await sendEmailAbout({ db: database.db, jobs }, by.account, { kind: 'export', id: '1' }, email)
      const { rows } = await database.pool.query<{ id: string }>(`SELECT id FROM account_${by.account}.deliveries`)
      return rows[0]?.id ?? ''
    },
  },
  'run-delete': {
    table: 'deletes',
    make: async (by) => {
      const filter = [{ $match: { Name: { $exists: true } } }]
      // The reply comes at the end of the delete.
      void by.delete(`${service}/offers`, { filter, deletedRecords: contacts }).catch(() => {})
      await vi.waitUntil(() => last(by, 'deletes'), { timeout: 20_000, interval: 20 })
      return last(by, 'deletes')
    },
  },
  'count-segments': {
    table: 'segment_nights',
    make: async (by) => {
      const { database, jobs } = portal.parts
      // Noon in the account's time zone, when the night's counts are due.
      await queueSegmentCounts({ db: database.db, jobs }, by.account, new Date('2026-03-10T17:00:00Z'))
      return last(by, 'segment_nights')
    },
  },
  'settle-index': {
    table: 'indexes',
    column: 'state',
    make: async (by) => {
      expect(await by.post(`${service}/indexes`, { key: [['Name', 1]] })).toMatchObject({ status: 202 })
      return last(by, 'indexes')
    },
  },
}
const kindOf = (label: string): string => label.split(',')[0] ?? ''
/** Kinds whose row records which attempt has claimed it; the others use locks. */
const claimed = Object.keys(makers).filter((label) => !/back|delete|index|keys/.test(label))

async function make(label: string, count: number): Promise<Row> {
  const owner = await portal.member(await portal.account())
  const rows = Array.from({ length: count }, (_, at) => ({ Name: `Person ${at}` }))
  await addContacts(portal.parts.database, owner.account, { Name: 'string' }, rows)
  const maker = makers[label]
  if (!maker) throw new Error(`no ${label}`)
  const { table, column = 'status' } = maker
  return { account: owner.account, table, id: await maker.make(owner), column }
}

async function stateOf({ account, table, id, column }: Row): Promise<string> {
  const { rows } = await portal.parts.database.pool.query<{ state: string }>(
    `SELECT ${column}::text AS state FROM account_${account}.${table} WHERE id::text = $1`,
    [id],
  )
  return rows[0]?.state ?? 'gone'
}
async function stateAtEnd(row: Row): Promise<string> {
  for (const end = performance.now() + 40_000; ; await sleep(50)) {
    const state = await stateOf(row)
    if (/^(completed|rejected|ready)$/.test(state) || performance.now() > end) return state
  }
}

const unqueued = new Map<string, Row>()
const held = new Map<string, Row>()

beforeAll(async () => {
  portal = await startPortal()
  const { pool } = portal.parts.database
  for (const label of Object.keys(makers)) {
    const row = await make(label, label === 'run-delete' ? contacts : 1)
    unqueued.set(label, row)
    await pool.query(`DELETE FROM jobs.job WHERE name = $1 AND data->>'account' = $2`, [
      kindOf(label),
      String(row.account),
    ])
  }
  for (const label of claimed) held.set(label, await make(label, 1))
  await pool.query(`UPDATE jobs.job SET start_after = now() + interval '1 day' WHERE state < 'active'`)
  await portal.startWorker()
}, 120_000)
afterAll(() => portal.close())

test('the samples cover each kind of job with rows', () => {
  const withRows = jobKinds.filter(({ rows }) => rows.length > 0).map(({ name }) => name)
  expect(withRows.toSorted()).toEqual([...new Set(Object.keys(makers).map(kindOf))].toSorted())
})

test.each(Object.keys(makers))('%s: a row without a job gets one when a worker starts', async (label) => {
  const row = unqueued.get(label)
  if (!row) throw new Error(`no ${label}`)
  expect(['completed', 'rejected', 'ready']).toContain(await stateAtEnd(row))
})

test.each(claimed)(
  '%s: an attempt that loses its claim to another one that ends is repeated',
  { timeout: 60_000 },
  async (label) => {
    const row = held.get(label)
    if (!row) throw new Error(`no ${label}`)
    const { account, table, id } = row
    const other = new pg.Client({ connectionString: portal.parts.database.url })
    await other.connect()
    try {
      // The end of an attempt that the queue considered dead, between the read and the claim of the next one.
      await other.query('BEGIN')
      await other.query(`UPDATE account_${account}.${table} SET status = 'recovery' WHERE id::text = $1`, [id])
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const { pool } = portal.parts.database
      await pool.query(`UPDATE jobs.job SET start_after = now() WHERE data->>'account' = $1`, [String(account)])
      await vi.waitUntil(
        async () =>
          (await pool.query('SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [rows[0]?.pid]))
            .rowCount,
        { timeout: 20_000, interval: 20 },
      )
      await other.query('COMMIT')
    } finally {
      await other.end()
    }
    expect(['completed', 'rejected']).toContain(await stateAtEnd(row))
  },
)
