import type { DownloadSort } from '@portico/contract/downloads'
import type { ExportDelimiter } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/identity'
import { type RawBuilder, sql } from 'kysely'
import { selectTextOrder } from '#filters'
import { accountTable, type Db } from '#platform/database.ts'

/** A finished file: of an export, or what an import set aside. */
export type FileRow = {
  kind: 'export' | 'import'
  id: string
  name: string
  creator: string
  delimiter: ExportDelimiter
  isZipped: boolean
  storageKey: string
  /** Bytes; null where nobody has asked the storage yet. */
  size: number | null
  rows: number
  createdAt: Date
  isRemoved: boolean
}

/** Both kinds of files as one table. */
function filesOf(account: AccountId): RawBuilder<unknown> {
  return sql`(
    SELECT 'export' AS kind, id, name, creator, delimiter, should_zip AS "isZipped", file_key AS "storageKey",
      file_size::float8 AS size, processed_records::float8 AS rows, coalesce(last_activity_at, created_at) AS "createdAt",
      file_removed_at IS NOT NULL AS "isRemoved"
    FROM ${accountTable(account, 'exports')} WHERE status = 'completed' AND file_key IS NOT NULL
    UNION ALL
    SELECT 'import', id, name, creator, 'csv', FALSE, report_key, report_size::float8, set_aside_records::float8,
      coalesce(last_activity_at, created_at), report_removed_at IS NOT NULL
    FROM ${accountTable(account, 'imports')} WHERE status IN ('completed', 'rejected') AND report_key IS NOT NULL
  ) AS files`
}

const fileColumns = sql`kind, id::text AS id, name, creator, delimiter, "isZipped", "storageKey", size, rows, "createdAt",
  "isRemoved"`

/** Part of a name or of a creator, in any letter case; `%` and `_` mean themselves. */
function matching(search: string | undefined): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`TRUE`
  const pattern = `%${search.replaceAll(/[\\%_]/g, (char) => `\\${char}`)}%`
  return sql`(name ILIKE ${pattern} OR creator ILIKE ${pattern})`
}

export type FileOrder = readonly { by: DownloadSort; isDescending: boolean }[]

/** Texts are sorted as people expect; all files are kept for as long, so they expire in the order they were made. */
async function termsOf(db: Db, order: FileOrder): Promise<RawBuilder<unknown>[]> {
  const textOrder = await selectTextOrder(db)
  const terms: Record<DownloadSort, RawBuilder<unknown>> = {
    name: sql`name ${textOrder}`,
    kind: sql`kind`,
    size: sql`coalesce(size, 0)`,
    rows: sql`rows`,
    creator: sql`creator ${textOrder}`,
    createdAt: sql`"createdAt"`,
    expiresAt: sql`"createdAt"`,
  }
  return order.map(({ by, isDescending }) => (isDescending ? sql`${terms[by]} DESC` : terms[by]))
}

export type FileQuery = { search?: string | undefined; order: FileOrder; limit: number; skip: number }

/** In the order that was asked for, then newest first. */
export async function selectFiles(
  db: Db,
  account: AccountId,
  { search, order, limit, skip }: FileQuery,
): Promise<FileRow[]> {
  const terms = [...(await termsOf(db, order)), sql`"createdAt" DESC`, sql`kind`, sql`files.id DESC`]
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account)} WHERE ${matching(search)}
    ORDER BY ${sql.join(terms)} LIMIT ${limit} OFFSET ${skip}`.execute(db)
  return rows
}

export async function selectFileCount(db: Db, account: AccountId, search: string | undefined): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${filesOf(account)} WHERE ${matching(search)}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function selectFile(
  db: Db,
  account: AccountId,
  kind: FileRow['kind'],
  id: string,
): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account)} WHERE kind = ${kind} AND id = ${id}::bigint`.execute(db)
  return rows[0]
}

/** Files that were finished before a time and are kept still. */
export async function selectExpiredFiles(db: Db, account: AccountId, before: Date, limit: number): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account)} WHERE NOT "isRemoved" AND "createdAt" <= ${before} LIMIT ${limit}`.execute(
    db,
  )
  return rows
}

/** Reports that are kept and whose size is not known yet. */
export async function selectUnmeasuredReports(db: Db, account: AccountId): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account)} WHERE NOT "isRemoved" AND size IS NULL`.execute(db)
  return rows
}

export async function updateReportSize(db: Db, account: AccountId, id: string, bytes: number): Promise<void> {
  await sql`UPDATE ${accountTable(account, 'imports')} SET report_size = ${bytes} WHERE id = ${id}::int`.execute(db)
}

export async function updateFileRemoved(db: Db, account: AccountId, { kind, id }: FileRow, now: Date): Promise<void> {
  await (
    kind === 'export'
      ? sql`UPDATE ${accountTable(account, 'exports')} SET file_removed_at = ${now} WHERE id = ${id}::bigint`
      : sql`UPDATE ${accountTable(account, 'imports')} SET report_removed_at = ${now} WHERE id = ${id}::int`
  ).execute(db)
}

/** Bytes of the files that are kept, by kind. */
export async function selectFileBytes(db: Db, account: AccountId): Promise<{ exports: number; reports: number }> {
  const { rows } = await sql<{ exports: number; reports: number }>`
    SELECT coalesce(sum(size) FILTER (WHERE kind = 'export'), 0) AS exports,
      coalesce(sum(size) FILTER (WHERE kind = 'import'), 0) AS reports
    FROM ${filesOf(account)} WHERE NOT "isRemoved"`.execute(db)
  return rows[0] ?? { exports: 0, reports: 0 }
}

/** Keys of the uploads that imports are not done with. */
export async function selectUploadsInUse(db: Db, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    SELECT file_key AS key FROM ${accountTable(account, 'imports')}
    WHERE status IN ('waiting', 'processing', 'recovery')`.execute(db)
  return rows.map(({ key }) => key)
}
