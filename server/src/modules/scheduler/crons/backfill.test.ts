import { mostBackfills, type Schedule, type ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#platform/database.ts'
import { addCron, crons, runsOf, schedules } from '#test/resources/crons.ts'
import { idleConsumer } from '#test/stand-ins/idle-consumer.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import type { Consumer, StartedRun } from '../consumers.ts'
import { runEnded } from '../runs/run-end.service.ts'

// Running past due times again: one or a range, each with its own window, and never two at the same time.

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())
// Runs that a test leaves waiting.
beforeEach(() =>
  portal.parts.database.pool.query('DELETE FROM portico.schedules WHERE is_backfill AND ended_at IS NULL'),
)

const day = 86_400_000
/**
 * A daily cron with the window of the day before, which was created and began this many days ago and is not due again
 * soon.
 */
async function dailyCron(days: number, changes: Record<string, unknown> = {}): Promise<string> {
  const instruction = { name: 'Daily export', delimiter: 'csv', exportFields: ['_id'], offset: '1' }
  const { _id } = await addCron(owner, { cron: '30 9 * * *', cronTZ: 'UTC', instruction, ...changes })
  await portal.parts.database.pool.query(
    'UPDATE portico.crons SET starts = $2, created_at = $2::text::date WHERE id = $1',
    [_id, new Date(Date.now() - days * day).toISOString().slice(0, 10)],
  )
  return _id
}

/** 9:30 on the day this many days ago. */
const due = (daysAgo: number): Date =>
  new Date(`${new Date(Date.now() - daysAgo * day).toISOString().slice(0, 10)}T09:30:00Z`)

const again = (cron: string, body: object, by = owner) => by.post(`${crons}/${cron}/backfills`, body)
const from = (daysAgo: number, to?: number, more: object = {}) => ({
  from: due(daysAgo).toISOString(),
  ...(to !== undefined && { to: due(to).toISOString() }),
  ...more,
})

let lastJob = 5000
/** A consumer that records the runs it starts. */
function recorder() {
  const started: (StartedRun & { jobId: string })[] = []
  const start: Consumer['start'] = (_tx, _account, run) => {
    const jobId = String(++lastJob)
    started.push({ ...run, jobId })
    return Promise.resolve(jobId)
  }
  return { started, consumers: idleConsumer({ start }) }
}

const endJob = (jobId: string, isOk = true) =>
  inTransaction(portal.parts.database.db, (tx) =>
    runEnded(tx, owner.account, 'EXPORT', {
      jobId,
      isOk,
      records: 1,
      reason: isOk ? null : 'no',
      isNotified: false,
      delivers: false,
    }),
  )

/** Starts and ends ready runs until none is left; returns the runs in order. */
async function runAll(isOk = true): Promise<StartedRun[]> {
  const { started, consumers } = recorder()
  for (let ended = 0; ; ended++) {
    await runSchedulerOnce(portal.parts, consumers)
    const next = started[ended]
    if (!next) return started
    expect(started).toHaveLength(ended + 1)
    await endJob(next.jobId, isOk)
  }
}

describe('a past due time', () => {
  test('runs again with its own window, outside the counted due times', async () => {
    const cron = await dailyCron(10)
    const reply = await again(cron, from(3))
    expect(reply).toMatchObject({ status: 202 })
    const made = reply.json<{ count: number; runs: Schedule[] }>()
    expect(made).toMatchObject({
      count: 1,
      runs: [{ status: 'waiting', isBackfill: true, isRunNow: false, runSequence: null, date: due(3).toISOString() }],
    })
    const [run] = await runAll()
    const dayBefore = due(4).toISOString().slice(0, 10)
    expect(run).toMatchObject({ dueAt: due(3), isRunNow: false, window: { from: dayBefore, to: dayBefore } })
    const details = (await owner.get(`${schedules}/${made.runs[0]?._id}`)).json<ScheduleDetails>()
    expect(details).toMatchObject({ status: 'completed', comment: expect.stringMatching(/^due .* 09:30, run again /) })
    // The waiting run for the next due time is still the next one.
    const [next] = (await runsOf(owner, cron)).filter(({ isBackfill }) => !isBackfill)
    expect((await owner.get(`${crons}/${cron}`)).body).toMatchObject({ nextScheduleId: next?._id })
  })

  test('must belong to the cron and lie in the past', async () => {
    const cron = await dailyCron(5)
    const none = { error: { details: [{ field: 'from', message: 'There is no due time of this cron to run again.' }] } }
    const minuteLater = new Date(due(2).getTime() + 60_000).toISOString()
    for (const body of [{ from: minuteLater }, from(-3), from(30), from(2, 3)]) {
      const reply = await again(cron, body)
      expect({ body, reply }).toMatchObject({ reply: { status: 400, body: none } })
    }
    expect(await again(cron, { from: 'yesterday' })).toMatchObject({ status: 400 })
  })

  test('cannot precede the creation of the cron, even if it starts earlier or counts its repeats', async () => {
    for (const changes of [{}, { cronRepeat: 3 }]) {
      const cron = await dailyCron(30, changes)
      await portal.parts.database.pool.query('UPDATE portico.crons SET created_at = $2 WHERE id = $1', [cron, due(4)])
      expect(await again(cron, from(20, 5))).toMatchObject({ status: 400 })
      const made = (await again(cron, from(20, 1))).json<{ runs: Schedule[] }>()
      expect(made.runs.map(({ date }) => date)).toEqual([4, 3, 2, 1].map((ago) => due(ago).toISOString()))
      expect(await runAll()).toHaveLength(4)
    }
  })

  test('does not run twice at a time, even if it is requested repeatedly', async () => {
    const cron = await dailyCron(5)
    const replies = await Promise.all(Array.from({ length: 4 }, () => again(cron, from(2))))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 400, 400, 400])
    expect(await runAll()).toHaveLength(1)
    // Deliberately once more.
    expect((await again(cron, from(2))).status).toBe(202)
    expect(await runAll()).toHaveLength(1)
  })
})

describe('a range of due times', () => {
  test('runs again one after another, in order of due time', async () => {
    const cron = await dailyCron(10)
    expect((await again(cron, from(6, 2))).body).toMatchObject({ count: 5 })
    expect((await runAll()).map(({ dueAt }) => dueAt)).toEqual([6, 5, 4, 3, 2].map(due))
  })

  test('omits completed ones if only the others are requested', async () => {
    const cron = await dailyCron(10)
    await again(cron, from(5))
    await runAll()
    await again(cron, from(4))
    await runAll(false)
    const reply = await again(cron, from(5, 3, { which: 'unsuccessful' }))
    expect(reply.json<{ runs: Schedule[] }>().runs.map(({ date }) => date)).toEqual(
      [4, 3].map((ago) => due(ago).toISOString()),
    )
  })

  test('may hold more due times than are computed at once', async () => {
    const cron = await dailyCron(40, { cron: '*/5 * * * *' })
    await portal.parts.database.pool.query(
      `INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, sequence, status, ended_at)
       SELECT $1, $2, 'EXPORT', due_at, 1, CASE WHEN due_at IN ($5, $6) THEN 'terminated' ELSE 'completed' END, now()
       FROM generate_series($3::timestamptz, $4, interval '5 minutes') AS due_at`,
      [owner.account, cron, due(37), due(1), due(37), due(2)],
    )
    const reply = await again(cron, from(37, 1, { which: 'unsuccessful' }))
    expect(reply.json<{ runs: Schedule[] }>().runs.map(({ date }) => date)).toEqual(
      [37, 2].map((ago) => due(ago).toISOString()),
    )
    const all = await again(cron, from(37, 1))
    expect(all).toMatchObject({ status: 400, body: { error: { details: [{ field: 'to' }] } } })
  })

  test('is limited, including those already waiting', async () => {
    const cron = await dailyCron(150)
    const tooMany = await again(cron, from(140, 1))
    expect(tooMany).toMatchObject({ status: 400, body: { error: { details: [{ field: 'to' }] } } })
    expect((await again(cron, from(mostBackfills, 1))).body).toMatchObject({ count: mostBackfills })
    expect((await again(cron, from(120))).body).toMatchObject({
      error: { details: [{ message: expect.stringContaining('100 are waiting already') }] },
    })
  })

  test('waits behind newly due runs, and lets them run', async () => {
    const cron = await dailyCron(10)
    await again(cron, from(6, 3))
    const { started, consumers } = recorder()
    await runSchedulerOnce(portal.parts, consumers)
    expect(started.map(({ dueAt }) => dueAt)).toEqual([due(6)])
    const { pool } = portal.parts.database
    const now = new Date(Math.floor(Date.now() / 60_000) * 60_000)
    await pool.query(
      `UPDATE portico.schedules SET due_at = $2 WHERE cron_id = $1 AND ready_at IS NULL AND status = 'waiting'`,
      [cron, now],
    )
    await pool.query('UPDATE portico.crons SET next_due_at = $2 WHERE id = $1', [cron, now])
    await runSchedulerOnce(portal.parts, consumers)
    await endJob(started[0]?.jobId ?? '')
    await runSchedulerOnce(portal.parts, consumers)
    expect(started[1]).toMatchObject({ dueAt: now })
    expect((await runsOf(owner, cron)).filter(({ omission }) => omission !== null)).toEqual([])
    await endJob(started[1]?.jobId ?? '')
    expect(await runAll()).toHaveLength(3)
  })
})

test('running again requires the rights of Run now, is audited, and is limited to the account', async () => {
  const cron = await dailyCron(5)
  const reader = await portal.member(owner.account, 'scheduler::crons::get', 'contact-service::exports::post')
  const updater = await portal.member(owner.account, 'scheduler::crons::put')
  const other = await portal.member(await portal.account())
  expect((await again(cron, from(2), reader)).status).toBe(403)
  expect((await again(cron, from(2), updater)).status).toBe(403)
  expect((await again(cron, from(2), other)).status).toBe(404)
  expect((await again(cron, from(3, 2))).body).toMatchObject({ count: 2 })
  const { rows } = await portal.parts.database.pool.query<{ details: object }>(
    `SELECT details FROM portico.audit_log WHERE action = 'cron run again' AND details ->> 'id' = $1`,
    [cron],
  )
  expect(rows).toMatchObject([{ details: { count: 2, from: due(3).toISOString(), to: due(2).toISOString() } }])
  await owner.put(`${crons}/${cron}`, { ...(await owner.get(`${crons}/${cron}`)).json<object>(), terminated: true })
  expect((await again(cron, from(2))).body).toMatchObject({ error: { code: 'cron_terminated' } })
  expect(await runAll()).toEqual([])
})
