import type { AccountId } from '@portico/contract/accounts'
import { workbookType } from '@portico/contract/workbook/workbook-parts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable } from '#platform/database.ts'
import { fileRemovedUpdate, fileSizeUpdate } from '#platform/jobs/job-rows.ts'
import { fileKeysOf, markOf } from '#platform/registration.ts'

/** Files of completed reports, with the columns of `FileSource`. */
export function reportFiles(account: AccountId): RawBuilder<unknown> {
  return sql`
    SELECT id, name, creator, file_name AS "fileName",
      CASE WHEN file_name LIKE '%.zip' THEN 'application/zip' WHEN file_name LIKE '%.csv' THEN 'text/csv; charset=utf-8'
        WHEN file_name LIKE '%.xlsx' THEN ${sql.lit(workbookType)} ELSE 'text/plain; charset=utf-8' END AS "contentType",
      file_key AS "storageKey", file_size::float8 AS size, processed_records::float8 AS rows,
      coalesce(last_activity_at, created_at) AS "createdAt", file_removed_at IS NOT NULL AS "isRemoved"
    FROM ${accountTable(account, 'reports')} WHERE status = 'completed' AND file_key IS NOT NULL`
}

export const updateFileSize = fileSizeUpdate({ name: 'reports' })
export const updateFileRemoved = fileRemovedUpdate({ name: 'reports' })

/** A value that changes when a file is finished or removed. */
export function filesMark(account: AccountId): RawBuilder<unknown> {
  return markOf(accountTable(account, 'reports'), [sql.ref('status'), sql.ref('file_removed_at')])
}

/** Files of reports that are named by a record. */
export const fileKeys = fileKeysOf('reports', { table: 'reports', column: 'file_key', removedAt: 'file_removed_at' })
