import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import { fileKeysOf, markOf } from '#platform/registration.ts'

/** Reports of rows set aside, with the columns of `FileSource`. */
export function reportFiles(account: AccountId): RawBuilder<unknown> {
  return sql`
    SELECT id::bigint AS id, name, creator, name || ' - set aside.csv' AS "fileName",
      'text/csv; charset=utf-8' AS "contentType", report_key AS "storageKey", report_size::float8 AS size,
      coalesce(report_rows, set_aside_records)::float8 AS rows, coalesce(last_activity_at, created_at) AS "createdAt",
      report_removed_at IS NOT NULL AS "isRemoved"
    FROM ${accountTable(account, 'imports')} WHERE status IN ('completed', 'rejected') AND report_key IS NOT NULL`
}

export async function updateReportSize(db: Db, account: AccountId, id: string, bytes: number): Promise<void> {
  await sql`UPDATE ${accountTable(account, 'imports')} SET report_size = ${bytes} WHERE id = ${id}::int`.execute(db)
}

export async function updateReportRemoved(db: Db, account: AccountId, id: string, now: Date): Promise<void> {
  await sql`UPDATE ${accountTable(account, 'imports')} SET report_removed_at = ${now} WHERE id = ${id}::int`.execute(db)
}

/** Selects storage keys of the uploads that imports still need. */
export async function selectUploadsInUse(db: Db, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    SELECT file_key AS key FROM ${accountTable(account, 'imports')}
    WHERE status IN ('waiting', 'processing', 'recovery')`.execute(db)
  return rows.map(({ key }) => key)
}

/** A value that changes with the progress and outcome of imports. */
export function importsMark(account: AccountId): RawBuilder<unknown> {
  const columns = [
    'status',
    'phase',
    'phase_progress',
    'processed_records',
    'purl_status',
    'last_activity_at',
    'undo_status',
    'undo_activity_at',
  ]
  return markOf(
    accountTable(account, 'imports'),
    columns.map((column) => sql.ref(column)),
  )
}

/** A value that changes when a report is finished or removed. */
export function reportsMark(account: AccountId): RawBuilder<unknown> {
  return markOf(accountTable(account, 'imports'), [sql.ref('status'), sql.ref('report_removed_at')])
}

/** Reports of rows set aside that are named by a record. */
export const fileKeys = fileKeysOf('set-aside', {
  table: 'imports',
  column: 'report_key',
  removedAt: 'report_removed_at',
})
