import type { AccountId } from '@portico/contract/accounts'
import type { Insertable } from 'kysely'
import { type Db, inAccount } from '#platform/database.ts'
import { type FileSeen, fileSeen } from '#platform/jobs/file-attempt.ts'
import type { JobTable } from '#platform/jobs/job-rows.ts'
import type { ReportRow, Tables } from './tables.ts'

export const reportJobs: JobTable<Tables['reports'], FileSeen> = { name: 'reports', seen: fileSeen }

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

/** Selects the latest reports, newest first; by latest activity if `isByActivity`. */
export async function selectLatestReports(
  db: Db,
  account: AccountId,
  { limit, skip, isByActivity }: { limit: number; skip: number; isByActivity: boolean },
): Promise<ReportRow[]> {
  const query = inAccount<Tables>(db, account).selectFrom('reports').selectAll()
  const sorted = isByActivity ? query.orderBy('last_activity_at', (by) => by.desc().nullsLast()) : query
  return sorted.orderBy('id', 'desc').limit(limit).offset(skip).execute()
}
