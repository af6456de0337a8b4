import type { ErrorCode } from '@portico/contract/errors'
import type { AccountId } from '@portico/contract/accounts'
import { abandonDeliveries, enqueueDeliveries } from '#delivery'
import { AppError } from '#platform/app-error.ts'
import { type Database, inTransaction } from '#platform/database.ts'
import {
  cancelledByUser,
  claimOf,
  type FailureReason,
  failOrRetry,
  hasEnded,
  hasNoRecoveryLeft,
  noRecoveryLeftReason,
  systemFailureReason,
  uncounted,
} from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted, type Jobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import { toUserError } from '#filters'
import { type ExportProgress, writeExportFile } from './export-file.service.ts'
import { ExportTooSlow, type ExportTimeLimit } from './export-time-limit.ts'
import { endRun } from './export-runs.ts'
import { deliveredFile } from './export-names.ts'
import { requireStillAllowed } from './export-rights.ts'
import { type ExportRow, selectExport, updateAttempt, updateCompleted, updateClaimed } from './exports.queries.ts'

export type ExportDeps = { database: Database; storage: Storage; jobs: Jobs; log: Logger; limit?: ExportTimeLimit }

/** One attempt at one export; only the latest one may change the row. */
type Attempt = ExportDeps & { account: AccountId; row: ExportRow & { file_key: string }; ofJob: JobAttempt | undefined }

/** A user cancelled the export. */
class ExportCancelled extends Error {}
/** This worker was presumed dead, and another has taken over. */
class AttemptLost extends Error {}

// Progress is shown, and a cancelled export ends, within about this time.
const reportEveryMs = 500

/**
 * Writes an export's file, from the beginning on every attempt: a dead worker leaves nothing visible. Failures that
 * would repeat end it as `rejected` with the reason. System failures (database down, disk full) leave it in `recovery`
 * and are thrown, so that the job is retried, at most five times.
 */
export async function runExport(
  deps: ExportDeps,
  account: AccountId,
  exportId: string,
  signal: AbortSignal,
  jobAttempt?: JobAttempt,
): Promise<void> {
  const attempt = await claim(deps, account, exportId, jobAttempt)
  if (!attempt) return
  try {
    await writeAndWatch(attempt, signal)
  } catch (error) {
    await endFailedAttempt(attempt, error)
  }
}

/** Claims the export. Returns null when there is nothing left to do. */
async function claim(
  deps: ExportDeps,
  account: AccountId,
  exportId: string,
  jobAttempt?: JobAttempt,
): Promise<Attempt | null> {
  const { db } = deps.database
  const before = await selectExport(db, account, exportId)
  if (!before || hasEnded(before.status)) return null
  const fileKey = `${account}/exports/${crypto.randomUUID()}`
  const now = new Date()
  const claimed = claimOf(before, jobAttempt)
  const row = await updateClaimed(db, account, before, {
    ...claimed,
    file_key: fileKey,
    last_activity_at: now,
    processed_records: 0,
    total_records: null,
    ...(claimed.status === 'processing' && { started_at: now }),
  })
  // Another worker was faster.
  if (!row) return null
  const attempt = { ...deps, account, row: { ...row, file_key: fileKey }, ofJob: jobAttempt }
  if (before.file_key) await removeFile(deps, before.file_key)
  if (row.cancel_requested) await reject(attempt, cancelledByUser)
  else if (claimed.recovery_count > before.recovery_count && hasNoRecoveryLeft(before.recovery_count)) {
    await reject(attempt, noRecoveryLeftReason(row.recovery_error ?? 'The worker stopped every time.'))
  } else return attempt
  return null
}

async function writeAndWatch(attempt: Attempt, signal: AbortSignal): Promise<void> {
  const { account, row } = attempt
  const { db } = attempt.database
  const progress: ExportProgress = { total: null, records: () => 0 }
  const stop = new AbortController()
  const interrupt = () => stop.abort(new JobInterrupted())
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  const watch = setInterval(() => void report(attempt, progress, stop), reportEveryMs)
  try {
    const use = await requireStillAllowed(attempt.database, row.acts_as)
    const size = await writeExportFile(attempt, account, row, use, progress, stop.signal)
    const change = { file_size: size, processed_records: progress.records(), total_records: progress.total }
    if (await complete(attempt, { ...change, last_activity_at: new Date() })) return
    const now = await selectExport(db, account, row.id)
    throw now?.cancel_requested && now.file_key === row.file_key ? new ExportCancelled() : new AttemptLost()
  } catch (error) {
    // When the work was stopped, the reason for stopping matters, not the error that it caused.
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', interrupt)
  }
}

/** Completes the export and enqueues the deliveries of its file: both or neither. */
async function complete(attempt: Attempt, change: Parameters<typeof updateCompleted>[4]): Promise<boolean> {
  const { account, row, jobs } = attempt
  return inTransaction(attempt.database.db, async (tx) => {
    const completed = await updateCompleted(tx, account, row.id, row.file_key, change)
    if (!completed) return false
    const file = deliveredFile({ ...completed, file_key: row.file_key })
    const count = await enqueueDeliveries(tx, jobs, account, { kind: 'export', id: row.id }, file)
    await endRun(tx, account, completed, count > 0)
    return true
  })
}

async function report(attempt: Attempt, progress: ExportProgress, stop: AbortController): Promise<void> {
  const { account, row, log } = attempt
  const change = { processed_records: progress.records(), total_records: progress.total, last_activity_at: new Date() }
  try {
    const now = await updateAttempt(attempt.database.db, account, row.id, row.file_key, change)
    if (!now) stop.abort(new AttemptLost())
    else if (now.cancel_requested) stop.abort(new ExportCancelled())
  } catch (error) {
    // The export itself may be fine; if the database is down, it fails by itself.
    log.warn({ err: error, account, export: row.id }, 'progress of an export was not written')
  }
}

async function endFailedAttempt(attempt: Attempt, failure: unknown): Promise<void> {
  const error = toUserError(failure)
  try {
    if (!(error instanceof AttemptLost)) await decide(attempt, error)
  } finally {
    await removeUnlessCompleted(attempt)
  }
}

async function decide(attempt: Attempt, error: unknown): Promise<void> {
  const { account, row, log } = attempt
  const { db } = attempt.database
  await failOrRetry({
    error,
    isInterrupted: error instanceof JobInterrupted,
    explain: () => explain(error),
    recoveryCount: row.recovery_count,
    release: async () => {
      const change = { status: 'waiting' as const, file_key: null, processed_records: 0, total_records: null }
      await updateAttempt(db, account, row.id, row.file_key, {
        ...change,
        recovery_count: uncounted(row, attempt.ofJob),
      })
    },
    reject: async (reason, isFinal) => {
      if (!isFinal) log.error({ err: error, account, export: row.id }, 'export rejected')
      await reject(attempt, reason)
    },
    retry: async (reason, counts) => {
      const change = { status: 'recovery' as const, recovery_error: reason }
      const count = counts ? {} : { recovery_count: uncounted(row, attempt.ofJob) }
      await updateAttempt(db, account, row.id, row.file_key, { ...change, ...count })
      throw error
    },
  })
}

/**
 * Removes the file of an attempt, unless the export is completed with it after all: the database may commit and then lose
 * the connection.
 */
async function removeUnlessCompleted(attempt: Attempt): Promise<void> {
  const { account, row, database, log } = attempt
  try {
    const now = await selectExport(database.db, account, row.id)
    if (now?.status !== 'completed' || now.file_key !== row.file_key) await removeFile(attempt, row.file_key)
  } catch (error) {
    // The next attempt, or the sweep of abandoned files, removes it.
    log.warn({ err: error, account, export: row.id }, 'file of an export was not removed')
  }
}

const finalFailures: readonly ErrorCode[] = ['invalid_filter', 'invalid_input', 'storage_full', 'not_allowed']

/** Final failures: a cancellation, or a request that cannot be fulfilled or is no longer allowed. */
function explain(error: unknown): FailureReason {
  if (error instanceof ExportCancelled) return { reason: cancelledByUser, isFinal: true }
  if (error instanceof ExportTooSlow) return { reason: error.message, isFinal: true }
  if (error instanceof AppError && finalFailures.includes(error.code)) {
    return { reason: error.message, isFinal: true }
  }
  return { reason: reasonFor(error), isFinal: false }
}

/** A file left behind is never visible: worth a line in the log, but not a failed export. */
async function removeFile({ storage, log }: ExportDeps, key: string): Promise<void> {
  await storage
    .remove(key)
    .catch((error: unknown) => log.warn({ err: error, key }, 'file of an export was not removed'))
}

async function reject(attempt: Attempt, reason: string): Promise<void> {
  const { account, row, database } = attempt
  const change = { status: 'rejected' as const, recovery_error: reason, file_key: null, last_activity_at: new Date() }
  await inTransaction(database.db, async (tx) => {
    const rejected = await updateAttempt(tx, account, row.id, row.file_key, change)
    if (!rejected) return
    await abandonDeliveries(tx, account, { kind: 'export', id: row.id })
    await endRun(tx, account, rejected)
  })
}

/** Reason of a failure for users. */
const reasonFor = (error: unknown): string =>
  error instanceof AppError && error.code !== 'unexpected' ? error.message : systemFailureReason(error)
