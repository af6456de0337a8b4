import type { AccountId } from '@portico/contract/accounts'
import { workbookType } from '@portico/contract/workbook/workbook-parts'
import { type RawBuilder, sql } from 'kysely'
import { deliveriesMark } from '#delivery'
import { accountTable } from '#platform/database.ts'
import { fileRemovedUpdate, fileSizeUpdate } from '#platform/jobs/job-rows.ts'
import { fileKeysOf, markOf } from '#platform/registration.ts'

/** Files of completed exports, with the columns of `FileSource`. */
export function exportFiles(account: AccountId): RawBuilder<unknown> {
  return sql`
    SELECT id, name, creator,
      name || CASE WHEN should_zip THEN '.zip' WHEN delimiter IN ('csv', 'semicolon') THEN '.csv'
        WHEN delimiter = 'xlsx' THEN '.xlsx' ELSE '.txt' END AS "fileName",
      CASE WHEN should_zip THEN 'application/zip' WHEN delimiter IN ('csv', 'semicolon') THEN 'text/csv; charset=utf-8'
        WHEN delimiter = 'xlsx' THEN ${sql.lit(workbookType)} ELSE 'text/plain; charset=utf-8' END AS "contentType",
      file_key AS "storageKey", file_size::float8 AS size, processed_records::float8 AS rows,
      coalesce(last_activity_at, created_at) AS "createdAt", file_removed_at IS NOT NULL AS "isRemoved"
    FROM ${accountTable(account, 'exports')} WHERE status = 'completed' AND file_key IS NOT NULL`
}

export const updateFileSize = fileSizeUpdate({ name: 'exports' })
export const updateFileRemoved = fileRemovedUpdate({ name: 'exports' })

/** A value that changes with the progress and outcome of exports and their deliveries. */
export function exportsMark(account: AccountId): RawBuilder<unknown> {
  const columns = ['status', 'processed_records', 'total_records', 'last_activity_at'].map((column) => sql.ref(column))
  return markOf(accountTable(account, 'exports'), [...columns, deliveriesMark(account, 'export', sql`latest.id`)])
}

/** A value that changes when a file is finished or removed. */
export function filesMark(account: AccountId): RawBuilder<unknown> {
  return markOf(accountTable(account, 'exports'), [sql.ref('status'), sql.ref('file_removed_at')])
}

/** Files of exports that are named by a record. */
export const fileKeys = fileKeysOf('exports', { table: 'exports', column: 'file_key', removedAt: 'file_removed_at' })
