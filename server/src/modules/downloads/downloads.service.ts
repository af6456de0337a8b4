import {
  type DownloadEntry,
  downloadsApi,
  type DownloadSort,
  fileDays,
  type StorageUse,
} from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/accounts'
import { uploadedBytes } from '#files'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import type { FileSource } from '#platform/registration.ts'
import { FileMissing, grantOf, type Storage } from '#platform/storage.ts'
import {
  type FileOrder,
  type FileRow,
  selectFile,
  selectFileBytes,
  selectFileCount,
  selectFiles,
  selectUnmeasuredFiles,
} from './downloads.queries.ts'
import { isRowNumber } from '#platform/ids.ts'

type Deps = { db: Db; storage: Storage; sources: readonly FileSource[] }

const linkSeconds = 600

type ListQuery = {
  search?: string | undefined
  sort?: Partial<Record<DownloadSort, 1 | -1>> | undefined
  limit: number
  skip: number
  count?: string | undefined
}

/** Returns a page of the finished files, newest first unless sorted, or their number. */
export async function listDownloads(
  deps: Deps,
  account: AccountId,
  { search, sort = {}, limit, skip, count }: ListQuery,
): Promise<DownloadEntry[] | { count: number }> {
  const { db, sources } = deps
  if (count !== undefined) return { count: await selectFileCount(db, account, sources, search) }
  const order = orderOf(sort)
  if (order.some(({ by }) => by === 'size')) await measureFiles(deps, account)
  const rows = await selectFiles(db, account, sources, { search, order, limit, skip })
  return Promise.all(rows.map(async (row) => toEntry(row, sourceOf(sources, row), await sizeOf(deps, account, row))))
}

function orderOf(sort: Partial<Record<DownloadSort, 1 | -1>>): FileOrder {
  // The contract allows no other names.
  return Object.entries(sort).map(([by, direction]) => ({ by: by as DownloadSort, isDescending: direction === -1 }))
}

/** Returns a link to a listed file, valid for ten minutes. @throws not_found, also for a file that has expired */
export async function openDownload(
  { db, storage, sources }: Deps,
  { account, caller, rows }: Pick<AccountContext, 'account' | 'caller' | 'rows'>,
  id: string,
): Promise<{ url: string }> {
  const [, kind, number] = /^([a-z]+)-(.*)$/.exec(id) ?? []
  const source = sources.find((each) => each.kind === kind)
  const row =
    source && number !== undefined && isRowNumber(number) ? await selectFile(db, account, source, number) : undefined
  if (!row || !source) throw new FileMissing('This file does not exist.')
  if (rows !== null && !(await source.isVisible(db, account, row.id, rows))) {
    throw new AppError(
      'not_allowed',
      undefined,
      'Your identity sees only some contacts. This file can have others too.',
    )
  }
  if (isExpired(row)) throw new FileMissing(`The file expired after ${fileDays} days and was removed.`)
  const url = await storage.downloadUrl(row.storageKey, {
    expiresInSeconds: linkSeconds,
    contentType: row.contentType,
    downloadName: row.fileName,
    grant: grantOf({ account, caller, rows }, downloadsApi.openDownload, { id }),
  })
  return { url }
}

/** Returns the bytes used by the account's files, and their quota. */
export async function storageUse(deps: Deps, account: AccountId, quota: number | null): Promise<StorageUse> {
  await measureFiles(deps, account)
  return { ...(await storedBytes(deps, account)), quota }
}

/** The same, without files whose size was not read yet. */
export async function storedBytes(
  { db, sources }: Pick<Deps, 'db' | 'sources'>,
  account: AccountId,
): Promise<Omit<StorageUse, 'quota'>> {
  const use = { uploads: await uploadedBytes(db, account), exports: 0, reports: 0 }
  const bytes = await selectFileBytes(db, account, sources)
  for (const { kind, usage } of sources) use[usage] += bytes.get(kind) ?? 0
  return { ...use, total: use.uploads + use.exports + use.reports }
}

/** Reads unknown file sizes from the storage. */
async function measureFiles(deps: Deps, account: AccountId): Promise<void> {
  for (const row of await selectUnmeasuredFiles(deps.db, account, deps.sources)) await sizeOf(deps, account, row)
}

/** Returns the size in bytes. An unknown size is read from the storage and stored. */
async function sizeOf({ db, storage, sources }: Deps, account: AccountId, row: FileRow): Promise<number> {
  if (row.size !== null || row.isRemoved) return row.size ?? 0
  const bytes = (await storage.size(row.storageKey)) ?? 0
  await sourceOf(sources, row).updateSize(db, account, row.id, bytes)
  return bytes
}

/** Returns the source of a row. */
export function sourceOf(sources: readonly FileSource[], { kind }: FileRow): FileSource {
  const source = sources.find((each) => each.kind === kind)
  if (!source) throw new Error(`no source of files of the kind ${kind}`)
  return source
}

function expiryOf({ createdAt }: FileRow): Date {
  return new Date(createdAt.getTime() + fileDays * 24 * 3600 * 1000)
}

function isExpired(row: FileRow): boolean {
  return row.isRemoved || expiryOf(row) <= new Date()
}

function toEntry(row: FileRow, { label }: FileSource, size: number): DownloadEntry {
  return {
    _id: `${row.kind}-${row.id}`,
    kind: label,
    name: row.name,
    fileName: row.fileName,
    size,
    rows: row.rows,
    creator: row.creator,
    createdAt: row.createdAt.toISOString(),
    expiresAt: expiryOf(row).toISOString(),
    isExpired: isExpired(row),
  }
}
