import { fileDays } from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import type { ReportRow } from './tables.ts'

/** A report with a file, or on the way to one, with the size of its settings in bytes. */
type NamingReport = { id: string; bytes: number }
type Judged = Pick<ReportRow, 'id' | 'settings'>

/** Selects the reports that are not ended or whose files have not expired, and whose settings match the pattern. */
export async function selectNamingReports(db: Db, account: AccountId, pattern: string): Promise<NamingReport[]> {
  const { rows } = await sql<NamingReport>`
    SELECT id, octet_length(settings::text) AS bytes FROM ${accountTable(account, 'reports')}
    WHERE status <> 'rejected' AND file_removed_at IS NULL
      AND coalesce(last_activity_at, created_at) > ${new Date(Date.now() - fileDays * 86_400_000)}
      AND settings::text ~* ${pattern} ORDER BY id`.execute(db)
  return rows
}

/** The same, locked until the end of the transaction. */
export async function lockJudged(db: Db, account: AccountId, reports: readonly NamingReport[]): Promise<Judged[]> {
  const { rows } = await sql<Judged>`
    SELECT id, settings FROM ${accountTable(account, 'reports')}
    WHERE id = ANY(${sql.val(reports.map(({ id }) => id))}::bigint[]) ORDER BY id FOR UPDATE`.execute(db)
  return rows
}

export async function updateSettings(db: Db, account: AccountId, { id, settings }: Judged): Promise<void> {
  await sql`UPDATE ${accountTable(account, 'reports')} SET settings = ${JSON.stringify(settings)}::jsonb
    WHERE id = ${id}`.execute(db)
}
