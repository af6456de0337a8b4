import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { AppError } from '#platform/app-error.ts'
import { inTransaction } from '#platform/database.ts'
import { addCron, crons, makeDue, runsOf, schedules } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { idleConsumer } from '#test/stand-ins/idle-consumer.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import type { Consumer, StartedRun } from '../consumers.ts'
import { runEnded } from './run-end.service.ts'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const minute = 60_000
const hour = 60 * minute
/** Not due at any time near now, except the one that a test sets. */
const yearly = '0 0 1 1 *'
const ago = (ms: number): Date => new Date(Math.floor((Date.now() - ms) / minute) * minute)

const work = (changes: Partial<Consumer> = {}) => runSchedulerOnce(portal.parts, idleConsumer(changes))

/** Ends the job of the run that is being processed. */
async function endJob(jobId: string, reason: string | null = null): Promise<void> {
  const isOk = reason === null
  await inTransaction(portal.parts.database.db, (tx) =>
    runEnded(tx, owner.account, 'EXPORT', { jobId, isOk, records: 7, reason, isNotified: !isOk, delivers: false }),
  )
}

let lastJob = 1000
/** A consumer that gives each run a job with a new number, and records what it started. */
function recorder() {
  const started: (StartedRun & { jobId: string })[] = []
  const start: Consumer['start'] = (_tx, _account, run) => {
    const jobId = String(++lastJob)
    started.push({ ...run, jobId })
    return Promise.resolve(jobId)
  }
  return { started, start }
}

/** Emails that the portal has stored for sending. */
async function emails(account: number): Promise<{ to: string[]; subject: string; text: string }[]> {
  const { rows } = await portal.parts.database.pool.query<{
    settings: { to: string[]; subject: string; text: string }
  }>(`SELECT settings FROM account_${account}.deliveries WHERE subject_kind = 'schedule' ORDER BY created_at`)
  return rows.map(({ settings }) => settings)
}

describe('a due run', () => {
  test('starts once, and the next run is created with it', async () => {
    const cron = await addCron(owner, { cron: yearly })
    const due = ago(2 * minute)
    await makeDue(portal, cron._id, due)
    const { started, ...consumer } = recorder()
    await Promise.all([work(consumer), work(consumer), work(consumer)])
    expect(started).toHaveLength(1)
    expect(started[0]).toMatchObject({ dueAt: due, zone: 'UTC', isRunNow: false, window: null })
    expect(await runsOf(owner, cron._id)).toMatchObject([
      { status: 'processing', runSequence: 1, comment: null, date: due.toISOString() },
      { status: 'waiting', runSequence: 2, startDate: null },
    ])
    await endJob(started[0]?.jobId ?? '')
    const [ended] = await runsOf(owner, cron._id)
    expect(ended).toMatchObject({ status: 'completed', processedRecords: 7, endDate: expect.any(String) })
    expect((await owner.get(`${crons}/${cron._id}`)).body).toMatchObject({
      lastComletedScheduleId: ended?._id,
      lastRun: { status: 'completed', date: ended?.endDate },
    })
    const details = (await owner.get(`${schedules}/${ended?._id}`)).json<ScheduleDetails>()
    expect(details.attempts).toMatchObject([{ status: 'completed', processedRecords: 7, error: null }])
  })

  test('makes up for the latest of several due times, and the others are missed', async () => {
    const cron = await addCron(owner, { cron: '0 * * * *', cronStart: new Date().toISOString() })
    const first = new Date(Math.floor(Date.now() / hour) * hour - 5 * hour)
    await makeDue(portal, cron._id, first)
    const { started, ...consumer } = recorder()
    await work(consumer)
    expect(started).toHaveLength(1)
    const runs = await runsOf(owner, cron._id)
    const missed = { status: 'terminated', omission: 'missed', comment: 'missed: the portal was not running' }
    expect(runs.slice(0, 5)).toMatchObject([1, 2, 3, 4, 5].map((runSequence) => ({ runSequence, ...missed })))
    expect(runs[5]).toMatchObject({ status: 'processing', runSequence: 6 })
    expect(runs.slice(6)).toMatchObject([{ status: 'waiting', runSequence: 7 }])
    const [email] = (await emails(owner.account)).slice(-1)
    expect(email).toMatchObject({
      to: ['ada@example.com'],
      subject: '5 runs of a scheduled export on Portico need your attention',
    })
    expect(email?.text).toContain('“missed: the portal was not running” (http')
    expect(email?.text).toContain(`account=${owner.account}`)
  })

  test('is reported with the name of the cron in quotes and without links, and not in the subject', async () => {
    const name = 'is late. Keep your mailbox: https://evil.example/0'
    const cron = await addCron(owner, { name, cron: yearly })
    await makeDue(portal, cron._id, ago(2 * minute))
    await work({ start: () => Promise.reject(new AppError('invalid_filter', undefined, 'See https://evil.example/1')) })
    const [email] = (await emails(owner.account)).slice(-1)
    expect(email?.subject).toBe('A scheduled export on Portico was not completed')
    expect(email?.text).toMatch(
      /^A run of a scheduled export on Portico needs your attention\.\n\nSchedule: “is late\. /,
    )
    expect(email?.text.replaceAll('\u2060', '')).toContain('See https://evil.example/1”')
    expect(email?.text).not.toMatch(/evil\.example/)
  })

  test('is recorded as missed for each due time of a long period without a worker', async () => {
    const cron = await addCron(owner, { cron: '*/5 * * * *', cronStart: new Date().toISOString() })
    const days = 10
    await makeDue(portal, cron._id, ago(days * 24 * hour))
    await work(recorder())
    const { rows } = await portal.parts.database.pool.query(
      `SELECT omission, count(*)::int AS count, max(sequence) - min(sequence) + 1 AS "inARow"
       FROM portico.schedules WHERE cron_id = $1 AND (omission = 'missed' OR status = 'processing') GROUP BY omission`,
      [cron._id],
    )
    const missed = rows.find(({ omission }) => omission === 'missed')
    expect(missed).toMatchObject({ inARow: missed.count })
    expect(missed.count).toBeGreaterThanOrEqual(days * 288 - 1)
    expect(rows.find(({ omission }) => omission === null)).toMatchObject({ count: 1 })
  })

  test('that starts over five minutes late says so', async () => {
    const cron = await addCron(owner, { cron: yearly, cronTZ: 'Asia/Kolkata' })
    await makeDue(portal, cron._id, ago(7 * minute))
    await work(recorder())
    const [run] = await runsOf(owner, cron._id)
    expect(run?.comment).toMatch(/^due \d{4}-\d\d-\d\d \d\d:\d\d, run \d{4}-\d\d-\d\d \d\d:\d\d \(Asia\/Kolkata\)$/)
  })

  test('that is the last has no next run', async () => {
    const cron = await addCron(owner, { cronRepeat: 2 })
    await portal.parts.database.pool.query('UPDATE portico.crons SET last_due_at = $2 WHERE id = $1', [
      cron._id,
      ago(0),
    ])
    await makeDue(portal, cron._id, ago(minute))
    await work(recorder())
    expect(await runsOf(owner, cron._id)).toHaveLength(1)
    expect((await owner.get(`${crons}/${cron._id}`)).body).toMatchObject({ nextRunAt: null, nextScheduleId: null })
  })

  test('of a paused cron is skipped', async () => {
    const cron = await addCron(owner, { cron: '0 * * * *', cronStart: new Date().toISOString() })
    await owner.post(`${crons}/${cron._id}/pause`, { reason: 'Holidays' })
    await makeDue(portal, cron._id, ago(90 * minute))
    const { started, ...consumer } = recorder()
    await work(consumer)
    expect(started).toEqual([])
    const runs = await runsOf(owner, cron._id)
    expect(runs.filter(({ omission }) => omission === 'skipped').length).toBeGreaterThanOrEqual(2)
    expect(runs[0]).toMatchObject({ status: 'terminated', comment: 'skipped: the cron was paused' })
  })

  test('that was skipped stays skipped', async () => {
    const cron = await addCron(owner, { cron: yearly })
    const [next] = await runsOf(owner, cron._id)
    expect(await owner.post(`${crons}/${cron._id}/skips`, { date: next?.date })).toMatchObject({ status: 201 })
    const due = ago(minute)
    await portal.parts.database.pool.query('UPDATE portico.schedules SET due_at = $2 WHERE id = $1', [next?._id, due])
    await makeDue(portal, cron._id, due)
    const { started, ...consumer } = recorder()
    await work(consumer)
    expect(started).toEqual([])
    expect(await runsOf(owner, cron._id)).toMatchObject([
      { omission: 'skipped', status: 'terminated' },
      { status: 'waiting', runSequence: 2 },
    ])
  })
})

describe('runs of one cron', () => {
  test('never overlap: one waits, and further ones are omitted', async () => {
    const cron = await addCron(owner, { cron: '*/5 * * * *', cronStart: new Date().toISOString() })
    const { started, ...consumer } = recorder()
    for (const minutes of [14, 9, 4]) {
      await portal.parts.database.pool.query(
        `DELETE FROM portico.schedules WHERE cron_id = $1 AND status = 'waiting' AND ready_at IS NULL`,
        [cron._id],
      )
      // One due time in each round.
      await portal.parts.database.pool.query(
        'UPDATE portico.crons SET next_due_at = $2, last_due_at = $2, repeats = 3 WHERE id = $1',
        [cron._id, ago(minutes * minute)],
      )
      await work(consumer)
    }
    expect(started).toHaveLength(1)
    const overlapping = { status: 'terminated', omission: 'overlapping', comment: 'the run before had not ended' }
    expect(await runsOf(owner, cron._id)).toMatchObject([{ status: 'processing' }, { status: 'waiting' }, overlapping])
    await endJob(started[0]?.jobId ?? '')
    await work(consumer)
    expect(started).toHaveLength(2)
    expect(await runsOf(owner, cron._id)).toMatchObject([
      { status: 'completed' },
      { status: 'processing' },
      overlapping,
    ])
  })
})

describe('a failing run', () => {
  /** A cron with one due run. */
  async function dueCron(by: Member = owner): Promise<string> {
    const cron = await addCron(by, { cron: yearly })
    await makeDue(portal, cron._id, ago(minute))
    return cron._id
  }

  test('is retried five times after an internal error, and then ends with the reason', async () => {
    const id = await dueCron()
    const start = vi.fn<Consumer['start']>(() => Promise.reject(new Error('no disk')))
    for (let attempt = 1; attempt <= 6; attempt++) {
      await work({ start })
      expect(start).toHaveBeenCalledTimes(attempt)
      const [run] = await runsOf(owner, id)
      expect(run?.status).toBe(attempt <= 5 ? 'recovery' : 'terminated')
      await portal.parts.database.pool.query(
        `UPDATE portico.schedules SET ready_at = now() WHERE cron_id = $1 AND status = 'recovery'`,
        [id],
      )
    }
    const [run] = await runsOf(owner, id)
    expect(run).toMatchObject({
      recoveryCount: 5,
      comment: 'Failed after 5 retries. Something went wrong on our side.',
    })
    const details = (await owner.get(`${schedules}/${run?._id}`)).json<ScheduleDetails>()
    expect(details.attempts.map(({ status }) => status)).toEqual([...Array(5).fill('recovery'), 'terminated'])
    expect((await emails(owner.account)).at(-1)?.text).toContain('Failed after 5 retries.')
  })

  test('ends at once for a permanent reason', async () => {
    const id = await dueCron()
    await work({ start: () => Promise.reject(new AppError('invalid_filter', undefined, 'No field is called that.')) })
    expect((await runsOf(owner, id))[0]).toMatchObject({
      status: 'terminated',
      comment: 'No field is called that.',
      recoveryCount: 0,
    })
  })

  test('may pause the cron if its consumer refuses it', async () => {
    const id = await dueCron()
    await work({ refusal: () => Promise.resolve({ reason: 'It is gone.', pausesCron: true }) })
    expect((await owner.get(`${crons}/${id}`)).body).toMatchObject({ paused: { reason: 'It is gone.', by: 'portico' } })
  })

  test('names the right that its author has lost, until the cron is taken over', async () => {
    const actions = ['scheduler::crons::post', 'scheduler::crons::get', 'contact-service::exports::post'] as const
    const author = await portal.member(owner.account, ...actions)
    const id = await dueCron(author)
    const { pool } = portal.parts.database
    await pool.query(
      `UPDATE portico.policies SET actions = ARRAY['scheduler::crons::get'] WHERE id IN (
        SELECT gp.policy_id FROM portico.group_policies gp
        JOIN portico.identity_groups ig ON ig.group_id = gp.group_id
        JOIN portico.identities i ON i.id = ig.identity_id JOIN portico.persons p ON p.id = i.person_id
        WHERE p.email = $1)`,
      [author.email],
    )
    // With the rights of the author, checked as in production.
    await runSchedulerOnce(portal.parts)
    const [run] = await runsOf(owner, id)
    expect(run).toMatchObject({
      status: 'terminated',
      comment: expect.stringContaining(`${author.email} may not export`),
    })
    await owner.post(`${crons}/${id}/author`)
    expect(await owner.post(`${crons}/${id}/run`)).toMatchObject({ status: 202 })
    const { started, ...consumer } = recorder()
    await work(consumer)
    expect(started).toMatchObject([{ isRunNow: true, caller: { email: owner.email } }])
  })

  test('ends if its identity is disabled or deleted', async () => {
    const actions = ['scheduler::crons::post', 'contact-service::exports::post'] as const
    const { pool } = portal.parts.database
    const identities = `portico.identities WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`
    const changes = [
      [`UPDATE ${identities.replace(' WHERE', ' SET is_disabled = true WHERE')}`, /is disabled/],
      [`DELETE FROM ${identities}`, /no longer has access/],
    ] as const
    for (const [change, reason] of changes) {
      const author = await portal.member(owner.account, ...actions)
      const id = await dueCron(author)
      await pool.query(change, [author.email])
      await runSchedulerOnce(portal.parts)
      expect((await runsOf(owner, id))[0]?.comment).toMatch(reason)
    }
  })

  test('is terminated if its job ended unnoticed', async () => {
    const id = await dueCron()
    const { started, ...consumer } = recorder()
    await work(consumer)
    await portal.parts.database.pool.query(
      `UPDATE portico.schedules SET started_at = now() - interval '2 minutes' WHERE cron_id = $1 AND status = 'processing'`,
      [id],
    )
    await work({ states: () => Promise.resolve(new Map()) })
    expect(started).toHaveLength(1)
    expect((await runsOf(owner, id))[0]).toMatchObject({ status: 'terminated', comment: 'What it made is gone.' })
  })
})
