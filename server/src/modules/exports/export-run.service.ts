import type { ErrorCode } from '@portico/contract/errors'
import type { AccountId } from '@portico/contract/accounts'
import { abandonDeliveries, enqueueDeliveries } from '#delivery'
import { toUserError } from '#filters'
import { type Database, inTransaction, isOverTemporaryFiles } from '#platform/database.ts'
import { type Claimed, runFileAttempt } from '#platform/jobs/file-attempt.ts'
import { completeJobRow, updateJobRow } from '#platform/jobs/job-rows.ts'
import { AttemptLost, cancelledByUser, explainFailure, JobRefused } from '#platform/jobs/job-runs.ts'
import { type JobAttempt, JobInterrupted, type Jobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import { type ExportProgress, writeExportFile } from './export-file.service.ts'
import { deliveredFile } from './export-names.ts'
import { requireStillAllowed } from './export-rights.ts'
import { endRun } from './export-runs.ts'
import type { ExportTimeLimit } from './export-time-limit.ts'
import { exportJobs, type ExportRow, selectExport } from './exports.queries.ts'

export type ExportDeps = {
  database: Database
  storage: Storage
  jobs: Jobs
  log: Logger
  limit?: ExportTimeLimit
  /** Maximum bytes of the values that the database keeps for the file. */
  mostKept?: number
}

type ClaimedExport = Claimed<ExportRow>

// Interval at which progress is reported and a cancelled export is noticed.
const reportEveryMs = 500

const finalFailures: readonly ErrorCode[] = ['invalid_filter', 'invalid_input', 'storage_full', 'not_allowed']

/** Writes an export's file. A request that cannot be fulfilled or is no longer allowed ends as `rejected`. */
export async function runExport(
  deps: ExportDeps,
  account: AccountId,
  exportId: string,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  await runFileAttempt<ExportRow>(
    deps,
    account,
    {
      table: exportJobs,
      read: () => selectExport(deps.database.db, account, exportId),
      noProgress: { total_records: null },
      work: (row) => writeAndWatch(deps, account, row, signal),
      explain: (error) => {
        const isFinal = (code: ErrorCode) => finalFailures.includes(code) || isOverTemporaryFiles(error)
        return explainFailure(toUserError(error), isFinal)
      },
      onRejected: async (tx, row) => {
        await abandonDeliveries(tx, account, { kind: 'export', id: row.id })
        await endRun(tx, account, row)
      },
    },
    signal,
    attempt,
  )
}

async function writeAndWatch(
  deps: ExportDeps,
  account: AccountId,
  row: ClaimedExport,
  signal: AbortSignal,
): Promise<void> {
  const progress: ExportProgress = { total: null, records: () => 0 }
  const stop = new AbortController()
  const interrupt = () => stop.abort(new JobInterrupted())
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  const watch = setInterval(() => void reportProgress(deps, account, row, progress, stop), reportEveryMs)
  try {
    const use = await requireStillAllowed(deps.database, row.acts_as)
    const size = await writeExportFile(deps, account, row, use, progress, stop.signal)
    await complete(deps, account, row, { file_size: size, ...progressColumns(progress) })
  } catch (error) {
    // If the work was stopped, report the reason for stopping, not the error it caused.
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', interrupt)
  }
}

/** Completes the export and enqueues the deliveries of its file: both or neither. */
async function complete(
  { database, jobs }: ExportDeps,
  account: AccountId,
  row: ClaimedExport,
  change: ReturnType<typeof progressColumns> & { file_size: number },
): Promise<void> {
  await inTransaction(database.db, async (tx) => {
    const completed = await completeJobRow(tx, account, exportJobs, row, change)
    const file = deliveredFile({ ...completed, file_key: row.file_key })
    const count = await enqueueDeliveries(tx, jobs, account, { kind: 'export', id: row.id }, file)
    await endRun(tx, account, completed, count > 0)
  })
}

const progressColumns = ({ records, total }: ExportProgress) => ({
  processed_records: records(),
  total_records: total,
})

/** Stores the export's progress, and stops the export if it was cancelled or claimed by another worker. */
async function reportProgress(
  { database, log }: ExportDeps,
  account: AccountId,
  row: ClaimedExport,
  progress: ExportProgress,
  stop: AbortController,
): Promise<void> {
  const change = { ...progressColumns(progress), last_activity_at: new Date() }
  try {
    const now = await updateJobRow(database.db, account, exportJobs, row, change)
    if (!now) stop.abort(new AttemptLost())
    else if (now.cancel_requested) stop.abort(new JobRefused(cancelledByUser))
  } catch (error) {
    // The export itself may be fine; if the database is down, the export fails by itself.
    log.warn({ err: error, account, export: row.id }, 'progress of an export was not written')
  }
}
