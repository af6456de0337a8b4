import { errors } from '@portico/contract/errors'
import type { SavedFilter } from '@portico/contract/saved-filters'
import type { Segment } from '@portico/contract/segments'
import { addDays, type Day, todayIn } from '@portico/domain/days'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { queueUnqueued } from '#platform/jobs/unqueued-jobs.ts'
import { countSegmentsJob, insertCounts, queueSegmentCounts, runSegmentCounts } from '#segments'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addContacts } from '#test/resources/contacts.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

/** A power user of an account with one contact. */
async function ownerOf(account: number): Promise<Member> {
  await addContacts(portal.parts.database, account, { City: 'string' }, [{ City: 'Paris' }])
  return portal.member(account)
}

async function save(by: Member, name: string, changes: object = {}): Promise<string> {
  const aggregateQuery = '[{"$match":{"City":"Paris"}}]'
  return (await by.post('/contact-service/v1/rdls', { name, aggregateQuery, ...changes })).json<SavedFilter>()._id
}

const dayAgo = (days: number): Day => addDays(todayIn('UTC'), -days)

/** Queues the night and returns its id. */
async function queueNight(account: number, night = dayAgo(0)): Promise<number> {
  const { db, pool } = portal.parts.database
  await queueSegmentCounts({ db, jobs: portal.parts.jobs }, account, new Date(`${night}T03:00:00Z`))
  const { rows } = await pool.query<{ id: number }>(
    `SELECT id FROM account_${account}.segment_nights WHERE night = $1`,
    [night],
  )
  return rows[0]?.id ?? 0
}

async function statusOf(account: number): Promise<string | undefined> {
  const { rows } = await portal.parts.database.pool.query<{ status: string }>(
    `SELECT status FROM account_${account}.segment_nights ORDER BY id DESC`,
  )
  return rows[0]?.status
}

const running = new AbortController().signal
/** The limits of a job that gives its place away after each count. */
const limits = { ofJob: 0, ofNight: Infinity }

const countsOf = async (by: Member, ids: string[], night = dayAgo(0)) => {
  const segments = await Promise.all(
    ids.map(async (id) => (await by.get(`/contact-service/v1/segments/${id}`)).json<Segment>()),
  )
  return segments.map(({ nights }) => {
    const count = nights?.find((each) => each.night === night)
    return count && (count.reason ?? count.contacts)
  })
}

test('a job that has counted for a while leaves the rest to a later one, which repeats nothing', async () => {
  const owner = await ownerOf(await portal.account())
  const { account } = owner
  const ids = [await save(owner, 'One'), await save(owner, 'Two'), await save(owner, 'Three')]
  const { pool } = portal.parts.database
  const nightId = await queueNight(account)
  await pool.query(`DELETE FROM jobs.job WHERE name = 'count-segments'`)
  await runSegmentCounts(portal.parts, account, { nightId }, running, { limits })
  expect(await statusOf(account)).toBe('waiting')
  const { rows } = await pool.query<{ data: { progress: { spentMs: number } } }>(
    `SELECT data FROM jobs.job WHERE name = 'count-segments'`,
  )
  expect(rows).toEqual([{ data: { account, nightId, progress: { spentMs: expect.any(Number) } } }])
  // The row has its job. Without it, the job would be queued again.
  expect(await queueUnqueued(portal.parts, [countSegmentsJob], [account])).toBe(0)
  await pool.query(`DELETE FROM jobs.job WHERE name = 'count-segments'`)
  expect(await queueUnqueued(portal.parts, [countSegmentsJob], [account])).toBe(1)
  await pool.query(`UPDATE account_${account}.segment_counts SET contacts = 77`)
  // Its worker died.
  await pool.query(`UPDATE account_${account}.segment_nights SET status = 'processing'`)
  const { progress } = rows[0]?.data ?? {}
  for (const _again of [1, 2]) {
    await runSegmentCounts(portal.parts, account, { nightId, progress }, running, { limits })
  }
  expect(await statusOf(account)).toBe('completed')
  const counts = await countsOf(owner, ids)
  expect(counts.filter((count) => count === 1)).toHaveLength(2)
  expect(counts).toContain(77)
})

test('a night has ten minutes for an account: segments that took too long are counted last, the rest say why not', async () => {
  const owner = await ownerOf(await portal.account())
  const { account } = owner
  const [slow, added, counted] = [await save(owner, 'A'), await save(owner, 'B'), await save(owner, 'C')]
  const ids = [slow, added, counted]
  const first = { night: dayAgo(2), contacts: null, reason: null }
  const known = [
    { ...first, filterId: slow, reason: errors.timed_out.text },
    { ...first, filterId: counted, contacts: 5 },
  ]
  await insertCounts(portal.parts.database.db, account, known, new Date())
  const progress = { spentMs: 600_000 }
  const second = { nightId: await queueNight(account, dayAgo(1)), progress }
  await runSegmentCounts(portal.parts, account, second, running)
  const reason = 'The other segments of the account took all of the time for counts that night.'
  expect(await countsOf(owner, ids, dayAgo(1))).toEqual([reason, reason, reason])
  expect(await statusOf(account)).toBe('completed')
  const third = { nightId: await queueNight(account) }
  const seen = []
  for (const _segment of ids) {
    await runSegmentCounts(portal.parts, account, third, running, { limits })
    seen.push(await countsOf(owner, ids))
  }
  expect(seen).toEqual([
    [undefined, undefined, 1],
    [undefined, 1, 1],
    [1, 1, 1],
  ])
})

test('slow segments of an account and its sub-accounts leave places for the counts of others', async () => {
  const parent = await ownerOf(await portal.account())
  await save(parent, 'Slow', { showInSubaccounts: true })
  const subs = [await portal.account(undefined, parent.account), await portal.account(undefined, parent.account)]
  for (const sub of subs) await ownerOf(sub)
  const other = await ownerOf(await portal.account())
  const quick = await save(other, 'Quick')
  const family = [parent.account, ...subs]
  const { pool } = portal.parts.database
  const holder = await pool.connect()
  await holder.query('BEGIN')
  for (const account of family) {
    await holder.query(`LOCK TABLE account_${account}.contacts IN ACCESS EXCLUSIVE MODE`)
    await queueNight(account)
  }
  await portal.startWorker()
  try {
    await vi.waitUntil(async () => (await lockWaits(pool)).length > 0, { timeout: 20_000, interval: 50 })
    await queueNight(other.account)
    await vi.waitUntil(async () => (await statusOf(other.account)) === 'completed', { timeout: 20_000, interval: 50 })
    expect(await countsOf(other, [quick])).toEqual([1])
    const statuses = await Promise.all(family.map(statusOf))
    expect(statuses.filter((status) => status === 'processing')).toHaveLength(1)
    expect(statuses).not.toContain('completed')
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
})
