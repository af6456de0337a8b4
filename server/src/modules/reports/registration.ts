import { isSameRule } from '@portico/domain/pipeline/row-rules'
import type { ListedJob, Registration } from '#platform/registration.ts'
import { fileKeys, filesMark, reportFiles, updateFileRemoved, updateFileSize } from './registration.queries.ts'
import { renameInReports } from './renaming.service.ts'
import { selectLatestReports, selectReports } from './reports.queries.ts'
import type { ReportRow } from './tables.ts'

/** Registers reports as jobs, and their files. */
export const reportRegistration: Registration = {
  jobs: {
    kind: 'report',
    action: 'scheduler::schedules::get',
    list: async ({ db }, account, { sort, limit, skip }) => {
      const page = { limit: limit ?? 10, skip: skip ?? 0, isByActivity: sort !== undefined }
      return (await selectLatestReports(db, account, page)).map(toListed)
    },
  },
  fileKeys,
  renameJudged: renameInReports,
  files: {
    kind: 'report',
    label: 'report',
    usage: 'reports',
    select: reportFiles,
    isVisible: async (db, account, id, rows) => {
      const [report] = await selectReports(db, account, [id])
      return report?.settings.rows !== undefined && isSameRule(report.settings.rows, rows)
    },
    updateSize: updateFileSize,
    updateRemoved: updateFileRemoved,
  },
  changes: [{ list: 'downloads', action: 'contact-service::downloads::get', mark: filesMark }],
}

function toListed(row: ReportRow): ListedJob {
  return {
    _id: row.id,
    name: row.name,
    status: row.status,
    recoveryError: row.recovery_error,
    creator: row.creator,
    lastActivityDate: row.last_activity_at?.toISOString() ?? null,
    creationDate: row.created_at.toISOString(),
    processedRecords: Number(row.processed_records),
  }
}
