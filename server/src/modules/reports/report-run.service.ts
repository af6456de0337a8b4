import type { AccountId } from '@portico/contract/accounts'
import { dashboardsApi } from '@portico/contract/dashboards'
import { fileDays } from '@portico/contract/downloads'
import { abandonDeliveries, type DeliveredFile, enqueueDeliveries, sendEmailAbout } from '#delivery'
import type { StoredCell } from '#credentials'
import { runEnded } from '#scheduler'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import { inTransaction } from '#platform/database.ts'
import {
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
import { downloadsUrl } from './report-destinations.ts'
import { reportEmail } from './report-email.ts'
import { type FileDeps, type ReportProgress, writeReportFile } from './report-file.service.ts'
import { reportActsAs } from './report-rights.service.ts'
import { selectReports, updateAttempt, updateClaimed } from './reports.queries.ts'
import type { ReportRow } from './tables.ts'

export type ReportDeps = FileDeps & { jobs: Jobs; log: Logger; config: Pick<Config, 'publicUrl'> }

/** This worker was presumed dead, and another has taken over. */
class AttemptLost extends Error {}

/** One attempt at one report; only the latest one may change the row. */
type Attempt = ReportDeps & { account: AccountId; row: ReportRow & { file_key: string }; ofJob: JobAttempt | undefined }

/**
 * Writes a report's file, from the beginning on every attempt: a dead worker leaves nothing visible. A cell that fails ends
 * the report with its name; system failures are tried again, at most five times.
 */
export async function runReport(
  deps: ReportDeps,
  account: AccountId,
  reportId: string,
  signal: AbortSignal,
  jobAttempt?: JobAttempt,
): Promise<void> {
  const attempt = await claim(deps, account, reportId, jobAttempt)
  if (!attempt) return
  const progress: ReportProgress = { records: 0, note: null, cells: new Map() }
  try {
    const size = await writeReportFile(attempt, account, attempt.row, progress, signal)
    await complete(attempt, size, progress)
  } catch (error) {
    await endFailedAttempt(attempt, error, signal.aborted)
  }
}

/** Claims the report. Returns null when there is nothing left to do. */
async function claim(
  deps: ReportDeps,
  account: AccountId,
  reportId: string,
  jobAttempt?: JobAttempt,
): Promise<Attempt | null> {
  const { db } = deps.database
  const [before] = await selectReports(db, account, [reportId])
  if (!before || hasEnded(before.status)) return null
  const fileKey = `${account}/reports/${crypto.randomUUID()}`
  const now = new Date()
  const claimed = claimOf(before, jobAttempt)
  const started = claimed.status === 'processing' ? { started_at: now } : {}
  const change = { ...claimed, ...started, file_key: fileKey, last_activity_at: now, processed_records: 0 }
  const row = await updateClaimed(db, account, before, change)
  // Another worker was faster.
  if (!row) return null
  const attempt = { ...deps, account, row: { ...row, file_key: fileKey }, ofJob: jobAttempt }
  if (before.file_key) await deps.storage.remove(before.file_key).catch(() => {})
  if (claimed.recovery_count > before.recovery_count && hasNoRecoveryLeft(before.recovery_count)) {
    await reject(attempt, noRecoveryLeftReason(row.recovery_error ?? 'The worker stopped every time.'))
    return null
  }
  return attempt
}

/** Completes the report, ends its run and enqueues what is sent of it: all or nothing. */
async function complete(attempt: Attempt, size: number, { records, note, cells }: ReportProgress): Promise<void> {
  const { account, row, jobs, database, config } = attempt
  const subject = { kind: 'report' as const, id: row.id }
  const now = new Date()
  await inTransaction(database.db, async (tx) => {
    const change = { status: 'completed' as const, recovery_error: null, file_size: size, processed_records: records }
    const done = await updateAttempt(tx, account, row.id, row.file_key, { ...change, last_activity_at: now })
    if (!done) throw new AttemptLost()
    const file = deliveredFile(account, done, {
      storageKey: row.file_key,
      completedAt: now,
      cells: [...cells.values()],
    })
    const transfers = await enqueueDeliveries(tx, jobs, account, subject, file)
    const email = reportEmail(done, file, downloadsUrl(config, account))
    if (email) await sendEmailAbout({ db: tx, jobs }, account, subject, email, { position: 1, file })
    await runEnded(tx, account, 'BI', {
      jobId: row.id,
      isOk: true,
      records,
      reason: null,
      note,
      isTold: false,
      delivers: transfers > 0 || email !== null,
    })
  })
}

function deliveredFile(
  account: AccountId,
  row: ReportRow,
  { storageKey, completedAt, cells }: { storageKey: string; completedAt: Date; cells: StoredCell[] },
): DeliveredFile {
  const { remoteName, download } = row.settings
  const { access } = dashboardsApi.getDashboard
  const actsAs = reportActsAs(account, row.settings, cells)
  return {
    name: row.name,
    maker: { email: row.creator, access, ...(actsAs && { actsAs }) },
    fileName: remoteName,
    replaces: download.overwrite,
    storageKey,
    contentType: remoteName.endsWith('.zip') ? 'application/zip' : 'text/plain; charset=utf-8',
    records: Number(row.processed_records),
    sizeBytes: Number(row.file_size ?? 0),
    completedAt: completedAt.toISOString(),
    expiresAt: new Date(completedAt.getTime() + fileDays * 86_400_000).toISOString(),
  }
}

async function endFailedAttempt(attempt: Attempt, failure: unknown, isInterrupted: boolean): Promise<void> {
  try {
    if (!(failure instanceof AttemptLost)) await decide(attempt, failure, isInterrupted)
  } finally {
    await removeUnlessCompleted(attempt)
  }
}

/**
 * Removes the file of an attempt, unless the report is completed with it after all: the database may commit and then lose
 * the connection.
 */
async function removeUnlessCompleted({ account, row, database, storage, log }: Attempt): Promise<void> {
  try {
    const [now] = await selectReports(database.db, account, [row.id])
    if (now?.status !== 'completed' || now.file_key !== row.file_key) await storage.remove(row.file_key)
  } catch (error) {
    // The next attempt, or the sweep of abandoned files, removes it.
    log.warn({ err: error, account, report: row.id }, 'file of a report was not removed')
  }
}

async function decide(attempt: Attempt, failure: unknown, isInterrupted: boolean): Promise<void> {
  const { account, row, log, database } = attempt
  const change = { processed_records: 0, file_key: null }
  await failOrRetry({
    error: failure,
    isInterrupted: isInterrupted || failure instanceof JobInterrupted,
    explain: () => explain(failure),
    recoveryCount: row.recovery_count,
    release: async () => {
      await updateAttempt(database.db, account, row.id, row.file_key, {
        ...change,
        status: 'waiting',
        recovery_count: uncounted(row, attempt.ofJob),
      })
    },
    reject: async (reason, isFinal) => {
      if (!isFinal) log.error({ err: failure, account, report: row.id }, 'report rejected')
      await reject(attempt, reason)
    },
    retry: async (reason, counts) => {
      const retried = { status: 'recovery' as const, recovery_error: reason }
      const count = counts ? {} : { recovery_count: uncounted(row, attempt.ofJob) }
      await updateAttempt(database.db, account, row.id, row.file_key, { ...retried, ...count })
      throw failure
    },
  })
}

function explain(error: unknown): FailureReason {
  if (error instanceof AppError) {
    return { reason: error.message, isFinal: error.code !== 'unexpected' && error.code !== 'timed_out' }
  }
  return { reason: systemFailureReason(error), isFinal: false }
}

async function reject({ account, row, database }: Attempt, reason: string): Promise<void> {
  const change = { status: 'rejected' as const, recovery_error: reason, file_key: null, last_activity_at: new Date() }
  await inTransaction(database.db, async (tx) => {
    const rejected = await updateAttempt(tx, account, row.id, row.file_key, change)
    if (!rejected) return
    await abandonDeliveries(tx, account, { kind: 'report', id: row.id })
    const end = { jobId: row.id, isOk: false, records: 0, reason, isTold: true, delivers: false }
    await runEnded(tx, account, 'BI', end)
  })
}
