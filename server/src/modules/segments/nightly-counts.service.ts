import type { AccountId } from '@portico/contract/accounts'
import { type Day, todayIn } from '@portico/domain/days'
import { accountTimeZone, requireAccount } from '#accounts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import { endColumns, completeJobRow, updateJobRow } from '#platform/jobs/job-rows.ts'
import { AttemptLost, JobRefused, spentReason, systemFailureReason } from '#platform/jobs/job-runs.ts'
import type { JobAttempt, Jobs } from '#platform/jobs/jobs.ts'
import { claimJob, runAttempt } from '#platform/jobs/run-attempt.ts'
import { countInTurn, type CountLimits } from './count-in-turn.service.ts'
import { hasNight, insertNight, nightJobs, type NightRow, selectNight } from './nights.queries.ts'
import { countSegmentsJob, holderOf } from './segments.jobs.ts'

/** The hour of the account's day from which its segments are counted. */
const firstHour = 2

/**
 * Has an account's segments counted for the present night, from two o'clock in its time zone. Safe to repeat, even
 * concurrently: a night has one job.
 */
export async function queueSegmentCounts(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  now = new Date(),
): Promise<void> {
  const timeZone = await accountTimeZone(db, account)
  const night = todayIn(timeZone, now)
  if (hourIn(timeZone, now) < firstHour || (await hasNight(db, account, night))) return
  await inTransaction(db, async (tx) => {
    const nightId = await insertNight(tx, account, night, now)
    if (nightId !== null) await enqueueCounts({ db: tx, jobs }, account, { nightId })
  })
}

/** `spentMs`: the time that earlier jobs of the night have taken. */
async function enqueueCounts(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  { nightId, spentMs }: { nightId: number; spentMs?: number },
): Promise<void> {
  const { parentId } = await requireAccount(db, account)
  const data = { account, nightId, ...(spentMs !== undefined && { progress: { spentMs } }) }
  await jobs.enqueue(db, countSegmentsJob, data, { holder: holderOf(parentId ?? account) })
}

const hourIn = (timeZone: string, now: Date): number =>
  Number(new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(now))

/** A job of a night, and how long earlier ones have counted. */
type NightJob = { nightId: number; progress?: { spentMs: number } | undefined }

/**
 * Counts each segment of an account with one statement. A count is stored at once and made once a night, so this may be
 * interrupted and repeated at any place. A segment that cannot be counted keeps the reason instead. After less than a
 * minute it enqueues a job that goes on, in its turn among the other accounts (ADR 0158).
 */
export async function runSegmentCounts(
  { database, jobs }: { database: Database; jobs: Jobs },
  account: AccountId,
  { nightId, progress }: NightJob,
  signal: AbortSignal,
  { attempt, limits }: { attempt?: JobAttempt; limits?: CountLimits } = {},
): Promise<void> {
  const { db } = database
  const goOnLater = (row: NightRow, spentMs: number) =>
    inTransaction(db, async (tx) => {
      const waiting = endColumns(row, { kind: 'interrupted' }, attempt)
      if (!(await updateJobRow(tx, account, nightJobs, row, waiting))) throw new AttemptLost()
      await enqueueCounts({ db: tx, jobs }, account, { nightId, spentMs })
    })
  await runAttempt<NightRow>(
    {
      claim: () =>
        claimJob(
          attempt,
          () => selectNight(db, account, nightId),
          async (before, claimed) => {
            const change = { ...claimed, last_activity_at: new Date() }
            const row = await updateJobRow(db, account, nightJobs, before, change)
            return row && { ...row, night: before.night }
          },
        ),
      work: async (row) => {
        const spent = spentReason(row, row.recovery_error ?? 'The worker stopped repeatedly.')
        if (spent !== null) throw new JobRefused(spent)
        const { isDone, spentMs } = await countInTurn(db, account, row.night, {
          signal,
          ...progress,
          ...(limits && { limits }),
        })
        if (isDone) await completeJobRow(db, account, nightJobs, row, {})
        else await goOnLater(row, spentMs)
      },
      recoveries: (row) => row.recovery_count,
      explain: (error) => ({ reason: systemFailureReason(error), isFinal: false }),
      onEnd: async (row, end) =>
        (await updateJobRow(db, account, nightJobs, row, endColumns(row, end, attempt))) !== undefined,
    },
    signal,
  )
}

/** Counts all segments of an account for a day, however long they take. */
export async function countAllSegments(db: Db, account: AccountId, night: Day, signal: AbortSignal): Promise<void> {
  await countInTurn(db, account, night, { signal, limits: { ofJob: Infinity, ofNight: Infinity } })
}
