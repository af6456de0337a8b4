import type { AccountId } from '@portico/contract/accounts'
import { countedDays } from '@portico/contract/segments'
import { addDays, type Day, todayIn } from '@portico/domain/days'
import { accountTimeZone } from '#accounts'
import { expandPredefined } from '#filters'
import { AppError } from '#platform/app-error.ts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import { endColumns, completeJobRow, updateJobRow } from '#platform/jobs/job-rows.ts'
import { JobRefused, spentReason, systemFailureReason } from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted, type Jobs } from '#platform/jobs/jobs.ts'
import { claimJob, runAttempt } from '#platform/jobs/run-attempt.ts'
import { listSavedFilters, savedFilterStages } from '#saved-filters'
import { openContactReader } from '#search'
import { deleteOldCounts, insertCounts, type NightlyCount, selectCounted } from './counts.queries.ts'
import { deleteNightsBefore, hasNight, insertNight, nightJobs, type NightRow, selectNight } from './nights.queries.ts'
import { choosingStages, naming } from './segment-stages.ts'
import { countSegmentsJob } from './segments.jobs.ts'

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
    if (nightId !== null) await jobs.enqueue(tx, countSegmentsJob, { account, nightId })
  })
}

const hourIn = (timeZone: string, now: Date): number =>
  Number(new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(now))

/**
 * Counts each segment of an account with one statement. A count is stored at once and made once a night, so this may be
 * interrupted and repeated at any place. A segment that cannot be counted keeps the reason instead.
 */
export async function runSegmentCounts(
  { database }: { database: Database },
  account: AccountId,
  nightId: number,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const { db } = database
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
        await countAllSegments(db, account, row.night, signal)
        await completeJobRow(db, account, nightJobs, row, {})
      },
      recoveries: (row) => row.recovery_count,
      explain: (error) => ({ reason: systemFailureReason(error), isFinal: false }),
      onEnd: async (row, end) =>
        (await updateJobRow(db, account, nightJobs, row, endColumns(row, end, attempt))) !== undefined,
    },
    signal,
  )
}

/** Counts the segments that have no count of a night yet, and removes counts that are no longer kept. */
export async function countAllSegments(db: Db, account: AccountId, night: Day, signal: AbortSignal): Promise<void> {
  const ids = (await listSavedFilters(db, account)).map(({ _id: id }) => id)
  const counted = await selectCounted(db, account, night)
  for (const id of ids.filter((each) => !counted.has(each))) {
    if (signal.aborted) throw new JobInterrupted()
    const count = await countOne(db, account, id, signal)
    await insertCounts(db, account, [{ filterId: id, night, ...count }], new Date())
  }
  const before = addDays(night, -countedDays)
  await deleteOldCounts(db, account, { before, seen: ids })
  await deleteNightsBefore(db, account, before)
}

/** The count, or why there is none: a field or another filter that no longer exists, or too long a search. */
async function countOne(
  db: Db,
  account: AccountId,
  id: string,
  signal: AbortSignal,
): Promise<Pick<NightlyCount, 'contacts' | 'reason'>> {
  try {
    const expanded = await expandPredefined(naming(id), (each) => savedFilterStages(db, account, each))
    const contacts = await openContactReader({ db, signal, rows: null }, account).count(choosingStages(expanded))
    return { contacts, reason: null }
  } catch (error) {
    if (!(error instanceof AppError) || signal.aborted) throw error
    return { contacts: null, reason: error.message }
  }
}
