import type { AccountId } from '@portico/contract/accounts'
import { dashboardsApi } from '@portico/contract/dashboards'
import { fileDays } from '@portico/contract/downloads'
import { abandonDeliveries, type DeliveredFile, enqueueDeliveries, sendEmailAbout } from '#delivery'
import type { StoredCell } from '#credentials'
import { runEnded } from '#scheduler'
import type { Config } from '#platform/config.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { type Claimed, runFileAttempt } from '#platform/jobs/file-attempt.ts'
import { completeJobRow } from '#platform/jobs/job-rows.ts'
import { explainFailure } from '#platform/jobs/job-runs.ts'
import type { JobAttempt, Jobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { readFieldNames, withSameNames } from './field-names.service.ts'
import { downloadsUrl } from './report-destinations.ts'
import { reportEmail } from './report-email.ts'
import { type FileDeps, type ReportProgress, writeReportFile } from './report-file.service.ts'
import { typeOfFile } from './report-names.ts'
import { reportActsAs } from './report-rights.service.ts'
import { reportJobs, selectReports } from './reports.queries.ts'
import type { ReportRow } from './tables.ts'

export type ReportDeps = FileDeps & { jobs: Jobs; log: Logger; config: Pick<Config, 'publicUrl'> }

/** Writes a report's file. If a cell fails, the report ends with an error that names it. */
export async function runReport(
  deps: ReportDeps,
  account: AccountId,
  reportId: string,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const { db } = deps.database
  await runFileAttempt<ReportRow>(
    deps,
    account,
    {
      table: reportJobs,
      read: async () => (await selectReports(db, account, [reportId]))[0],
      work: async (row) => {
        const progress: ReportProgress = { records: 0, note: null, cells: new Map() }
        const names = await readFieldNames(db, account)
        const size = await writeReportFile(deps, account, row, progress, signal)
        await inTransaction(db, (tx) =>
          withSameNames(tx, account, names, (locked) => complete(deps, locked, account, row, size, progress)),
        )
      },
      explain: (error) => explainFailure(error, (code) => code !== 'unexpected' && code !== 'timed_out'),
      onRejected: async (tx, { id, recovery_error: reason }) => {
        await abandonDeliveries(tx, account, { kind: 'report', id })
        const end = { jobId: id, isOk: false, records: 0, reason, isNotified: true, delivers: false }
        await runEnded(tx, account, 'BI', end)
      },
    },
    signal,
    attempt,
  )
}

/** Completes the report, ends its run and enqueues its deliveries, in the transaction `tx`: all or nothing. */
async function complete(
  { jobs, config }: ReportDeps,
  tx: Db,
  account: AccountId,
  row: Claimed<ReportRow>,
  size: number,
  { records, note, cells }: ReportProgress,
): Promise<void> {
  const subject = { kind: 'report' as const, id: row.id }
  const change = { file_size: size, processed_records: records }
  const done = await completeJobRow(tx, account, reportJobs, row, change)
  const file = deliveredFile(account, { ...done, file_key: row.file_key }, [...cells.values()])
  const transfers = await enqueueDeliveries(tx, jobs, account, subject, file)
  const email = reportEmail(done, file, downloadsUrl(config, account))
  if (email) await sendEmailAbout({ db: tx, jobs }, account, subject, email, { position: 1, file })
  await runEnded(tx, account, 'BI', {
    jobId: row.id,
    isOk: true,
    records,
    reason: null,
    note,
    isNotified: false,
    delivers: transfers > 0 || email !== null,
  })
}

function deliveredFile(account: AccountId, row: Claimed<ReportRow>, cells: StoredCell[]): DeliveredFile {
  const completedAt = row.last_activity_at ?? new Date()
  const { remoteName, download } = row.settings
  const { access } = dashboardsApi.getDashboard
  const actsAs = reportActsAs(account, row.settings, cells)
  return {
    name: row.name,
    maker: { email: row.creator, access, ...(actsAs && { actsAs }) },
    fileName: remoteName,
    replaces: download.overwrite,
    storageKey: row.file_key,
    contentType: typeOfFile(remoteName),
    records: Number(row.processed_records),
    sizeBytes: Number(row.file_size ?? 0),
    completedAt: completedAt.toISOString(),
    expiresAt: new Date(completedAt.getTime() + fileDays * 86_400_000).toISOString(),
  }
}
