import type { AccountId } from '@portico/contract/accounts'
import type { Insertable, Updateable } from 'kysely'
import { type Db, inAccount } from '#platform/database.ts'
import { type JobTable, runningStates, updateJobRow } from '#platform/jobs/job-rows.ts'
import type { ReportRow, Tables } from './tables.ts'

const reportJobs: JobTable<Tables['reports']> = { name: 'reports' }

export async function insertReport(db: Db, account: AccountId, row: Insertable<Tables['reports']>): Promise<ReportRow> {
  return inAccount<Tables>(db, account).insertInto('reports').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function selectReports(db: Db, account: AccountId, ids: readonly string[]): Promise<ReportRow[]> {
  if (ids.length === 0) return []
  return inAccount<Tables>(db, account)
    .selectFrom('reports')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute()
}

/** The latest reports, newest first, by their latest activity where `isByActivity`. */
export async function selectLatestReports(
  db: Db,
  account: AccountId,
  { limit, skip, isByActivity }: { limit: number; skip: number; isByActivity: boolean },
): Promise<ReportRow[]> {
  const query = inAccount<Tables>(db, account).selectFrom('reports').selectAll()
  const sorted = isByActivity ? query.orderBy('last_activity_at', (by) => by.desc().nullsLast()) : query
  return sorted.orderBy('id', 'desc').limit(limit).offset(skip).execute()
}

/** Begins an attempt, unless the report has changed since `before` was read. */
export async function updateClaimed(
  db: Db,
  account: AccountId,
  before: ReportRow,
  change: Updateable<Tables['reports']>,
): Promise<ReportRow | undefined> {
  const { id, status, file_key } = before
  return updateJobRow(db, account, reportJobs, { id, status, file_key }, change)
}

/** Changes a running report on behalf of the attempt that writes `fileKey`; undefined when another has taken over. */
export async function updateAttempt(
  db: Db,
  account: AccountId,
  id: string,
  fileKey: string,
  change: Updateable<Tables['reports']>,
): Promise<ReportRow | undefined> {
  return updateJobRow(db, account, reportJobs, { id, status: runningStates, file_key: fileKey }, change)
}
