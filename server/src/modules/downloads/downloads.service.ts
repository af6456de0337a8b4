import { type DownloadEntry, type DownloadSort, fileDays, type StorageUse } from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/identity'
import { uploadedBytes } from '#files'
import type { Db } from '#platform/database.ts'
import { FileMissing, type Storage } from '#platform/storage.ts'
import {
  type FileOrder,
  type FileRow,
  selectFile,
  selectFileBytes,
  selectFileCount,
  selectFiles,
  selectUnmeasuredReports,
  updateReportSize,
} from './downloads.queries.ts'

type Deps = { db: Db; storage: Storage }

const linkSeconds = 600

type ListQuery = {
  search?: string | undefined
  sort?: Partial<Record<DownloadSort, 1 | -1>> | undefined
  limit: number
  skip: number
  count?: string | undefined
}

/** A page of the finished files, newest first unless sorted, or their number. */
export async function listDownloads(
  deps: Deps,
  account: AccountId,
  { search, sort = {}, limit, skip, count }: ListQuery,
): Promise<DownloadEntry[] | { count: number }> {
  if (count !== undefined) return { count: await selectFileCount(deps.db, account, search) }
  const order = orderOf(sort)
  if (order.some(({ by }) => by === 'size')) await measureReports(deps, account)
  const rows = await selectFiles(deps.db, account, { search, order, limit, skip })
  return Promise.all(rows.map(async (row) => toEntry(row, await sizeOf(deps, account, row))))
}

function orderOf(sort: Partial<Record<DownloadSort, 1 | -1>>): FileOrder {
  // The contract takes no other names.
  return Object.entries(sort).map(([by, direction]) => ({ by: by as DownloadSort, isDescending: direction === -1 }))
}

/**
 * A link to a file of the list, for ten minutes.
 * @throws not_found, also for one that has expired
 */
export async function openDownload({ db, storage }: Deps, account: AccountId, id: string): Promise<{ url: string }> {
  const [, kind, number] = /^(export|import)-(\d{1,18})$/.exec(id) ?? []
  const row =
    number === undefined ? undefined : await selectFile(db, account, kind === 'export' ? 'export' : 'import', number)
  if (!row) throw new FileMissing('There is no such file.')
  if (isExpired(row)) throw new FileMissing(`The file was kept for ${fileDays} days, and has been removed.`)
  const url = await storage.downloadUrl(row.storageKey, {
    expiresInSeconds: linkSeconds,
    contentType: typeOf(row),
    downloadName: fileNameOf(row),
  })
  return { url }
}

/** Bytes that the account's files take. */
export async function storageUse(deps: Deps, account: AccountId): Promise<StorageUse> {
  await measureReports(deps, account)
  const uploads = await uploadedBytes(deps.db, account)
  const { exports, reports } = await selectFileBytes(deps.db, account)
  return { uploads, exports, reports, total: uploads + exports + reports }
}

/** Asks the storage for the sizes that nobody has asked for yet. */
async function measureReports(deps: Deps, account: AccountId): Promise<void> {
  for (const row of await selectUnmeasuredReports(deps.db, account)) await sizeOf(deps, account, row)
}

/** Bytes. Of reports the storage is asked once. */
async function sizeOf({ db, storage }: Deps, account: AccountId, row: FileRow): Promise<number> {
  if (row.size !== null || row.isRemoved) return row.size ?? 0
  const bytes = (await storage.size(row.storageKey)) ?? 0
  await updateReportSize(db, account, row.id, bytes)
  return bytes
}

function expiryOf({ createdAt }: FileRow): Date {
  return new Date(createdAt.getTime() + fileDays * 24 * 3600 * 1000)
}

function isExpired(row: FileRow): boolean {
  return row.isRemoved || expiryOf(row) <= new Date()
}

function fileNameOf({ kind, name, delimiter, isZipped }: FileRow): string {
  if (kind === 'import') return `${name} - set aside.csv`
  return `${name}${isZipped ? '.zip' : delimiter === 'csv' ? '.csv' : '.txt'}`
}

function typeOf({ delimiter, isZipped }: FileRow): string {
  if (isZipped) return 'application/zip'
  return delimiter === 'csv' ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8'
}

function toEntry(row: FileRow, size: number): DownloadEntry {
  return {
    _id: `${row.kind}-${row.id}`,
    kind: row.kind === 'export' ? 'export' : 'set-aside report',
    name: row.name,
    fileName: fileNameOf(row),
    size,
    rows: row.rows,
    creator: row.creator,
    createdAt: row.createdAt.toISOString(),
    expiresAt: expiryOf(row).toISOString(),
    isExpired: isExpired(row),
  }
}
