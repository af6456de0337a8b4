import type { DownloadSort } from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { selectTextOrder } from '#filters'
import type { Db } from '#platform/database.ts'
import type { FileSource } from '#platform/registration.ts'

type Sources = readonly FileSource[]

/** A finished file of any source. */
export type FileRow = {
  /** Kind of the file's `FileSource`. */
  kind: string
  /** Unique within the kind. */
  id: string
  name: string
  creator: string
  fileName: string
  contentType: string
  storageKey: string
  /** Bytes; null until the size was read from the storage. */
  size: number | null
  rows: number
  createdAt: Date
  isRemoved: boolean
}

/** All sources as one table. */
function filesOf(account: AccountId, sources: Sources): RawBuilder<unknown> {
  const selects = sources.map(
    ({ kind, select }) => sql`SELECT ${kind}::text AS kind, file.* FROM (${select(account)}) AS file`,
  )
  return sql`(${sql.join(selects, sql` UNION ALL `)}) AS files`
}

const fileColumns = sql`kind, id::text AS id, name, creator, "fileName", "contentType", "storageKey", size, rows,
  "createdAt", "isRemoved"`

/** Matches part of a file name or creator, ignoring case; `%` and `_` are literal. */
function matching(search: string | undefined): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`TRUE`
  const pattern = `%${search.replaceAll(/[\\%_]/g, (char) => `\\${char}`)}%`
  return sql`(name ILIKE ${pattern} OR creator ILIKE ${pattern})`
}

export type FileOrder = readonly { by: DownloadSort; isDescending: boolean }[]

/** Sort terms. Text sorts by language. All files are kept equally long, so order of expiry is order of creation. */
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

/** A page of the files of all sources in one statement, in the given order, then newest first. */
export async function selectFiles(
  db: Db,
  account: AccountId,
  sources: Sources,
  { search, order, limit, skip }: FileQuery,
): Promise<FileRow[]> {
  const terms = [...(await termsOf(db, order)), sql`"createdAt" DESC`, sql`kind`, sql`files.id DESC`]
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account, sources)} WHERE ${matching(search)}
    ORDER BY ${sql.join(terms)} LIMIT ${limit} OFFSET ${skip}`.execute(db)
  return rows
}

export async function selectFileCount(
  db: Db,
  account: AccountId,
  sources: Sources,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${filesOf(account, sources)} WHERE ${matching(search)}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function selectFile(
  db: Db,
  account: AccountId,
  source: FileSource,
  id: string,
): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account, [source])} WHERE id = ${id}::bigint`.execute(db)
  return rows[0]
}

/** Files finished before a time that are still kept. */
export async function selectExpiredFiles(
  db: Db,
  account: AccountId,
  sources: Sources,
  { before, limit }: { before: Date; limit: number },
): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account, sources)}
    WHERE NOT "isRemoved" AND "createdAt" <= ${before} LIMIT ${limit}`.execute(db)
  return rows
}

/** Kept files of unknown size. */
export async function selectUnmeasuredFiles(db: Db, account: AccountId, sources: Sources): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    SELECT ${fileColumns} FROM ${filesOf(account, sources)} WHERE NOT "isRemoved" AND size IS NULL`.execute(db)
  return rows
}

/** Bytes of the kept files by kind; a kind without files is left out. */
export async function selectFileBytes(db: Db, account: AccountId, sources: Sources): Promise<Map<string, number>> {
  const { rows } = await sql<{ kind: string; bytes: number }>`
    SELECT kind, coalesce(sum(size), 0) AS bytes FROM ${filesOf(account, sources)}
    WHERE NOT "isRemoved" GROUP BY kind`.execute(db)
  return new Map(rows.map(({ kind, bytes }) => [kind, bytes]))
}
