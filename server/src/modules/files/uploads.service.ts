import { normalizeText } from '@portico/domain/unicode'
import type { Readable } from 'node:stream'
import type { AccountId } from '@portico/contract/accounts'
import { filesApi } from '@portico/contract/files'
import { roomFor, withRoom } from '#platform/account-limits.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { grantOf, type Storage } from '#platform/storage.ts'
import { newStorageKey } from './storage-keys.ts'
import {
  countOpenUploads,
  deleteOpenUpload,
  insertUpload,
  type OpenUpload,
  selectNewestUpload,
  selectOpenOf,
  selectOpenUploads,
  selectSettledNext,
  updateUploadCompleted,
  updateUploadRemoved,
} from './uploads.queries.ts'

/** A complete file. */
export type Upload = { id: string; storageKey: string; fileName: string; sizeBytes: number }

// Covers the time from choosing a file to its first byte, not to its last.
const linkSeconds = 3600

// Uploads whose file is asked for in a search by name. One person has no more open links (`openUploads`).
const mostAsked = 200
const askedAtOnce = 20

// A link begins an upload within its hour; the upload itself may take longer.
const unusedAfterMs = 6 * 3600 * 1000

/**
 * Creates an upload under a new key, and returns the signed link that receives its bytes.
 * @throws limit_reached when the caller has too many links that are not used
 */
export async function createUpload(
  { db, account, caller }: Pick<AccountContext, 'db' | 'account' | 'caller'>,
  storage: Storage,
  { fileName, contentType }: { fileName: string; contentType: string | undefined },
): Promise<{ url: string }> {
  const storageKey = newStorageKey(account, 'uploads')
  // Before any bytes arrive: a full account accepts no file.
  await storage.requireRoom(storageKey, 1)
  const creator = caller.email
  const since = new Date(Date.now() - linkSeconds * 1000)
  const count = (tx: Db) => countOpenUploads(tx, account, { creator, since })
  // A bucket does not report the links that were used.
  if (roomFor('openUploads', await count(db)) === 0) await settleOwn({ db, storage }, account, { creator, since })
  await withRoom(db, account, 'openUploads', count, (tx) =>
    insertUpload(tx, account, {
      id: crypto.randomUUID(),
      fileName,
      storageKey,
      contentType: contentType || null,
      creator,
    }),
  )
  const grant = grantOf({ account, caller }, filesApi.createUpload, { fileName }, { type: contentType })
  return { url: await storage.uploadUrl(storageKey, { expiresInSeconds: linkSeconds, grant }) }
}

/** Completes the uploads of a person that have arrived. */
async function settleOwn(
  { db, storage }: { db: Db; storage: Storage },
  account: AccountId,
  of: { creator: string; since: Date },
): Promise<void> {
  const open = await selectOpenOf(db, account, { ...of, limit: mostAsked })
  for (const { storageKey } of open) {
    const sizeBytes = await storage.size(storageKey)
    if (sizeBytes === null) continue
    await receiveFromBucket(db, storage, account, storageKey, sizeBytes).catch(unlessRefused)
  }
}

/** Stores a file created by the portal itself as an upload of that name. */
export async function storeUpload(
  db: Db,
  storage: Storage,
  account: AccountId,
  upload: { fileName: string; contentType: string; creator: string },
  content: Readable,
  signal: AbortSignal,
): Promise<void> {
  const storageKey = newStorageKey(account, 'uploads')
  await insertUpload(db, account, { id: crypto.randomUUID(), storageKey, ...upload })
  const record = (sizeBytes: number) => updateUploadCompleted(db, account, storageKey, sizeBytes)
  await storage.put(storageKey, content, { contentType: upload.contentType, signal, record })
}

/** Completes an upload whose bytes the portal received itself. */
export async function completeUpload(db: Db, storageKey: string, sizeBytes: number): Promise<void> {
  const account = Number(storageKey.split('/')[0])
  await updateUploadCompleted(db, account, storageKey, sizeBytes)
}

/** Completes an upload received by a bucket, which enforces no limits; an upload over a limit is removed. */
async function receiveFromBucket(
  db: Db,
  storage: Storage,
  account: AccountId,
  storageKey: string,
  sizeBytes: number,
): Promise<void> {
  try {
    await storage.requireRoom(storageKey, sizeBytes)
  } catch (error) {
    await storage.remove(storageKey)
    await updateUploadRemoved(db, account, storageKey)
    throw error
  }
  await updateUploadCompleted(db, account, storageKey, sizeBytes)
}

/**
 * Returns the user's newest complete upload with that name (`user` is an email), or else the newest in the account;
 * null if there is none. This keeps another user's later upload of the same name from replacing one's own. Ends when
 * `signal` is aborted.
 */
export async function findUpload(
  db: Db,
  storage: Storage,
  account: AccountId,
  { fileName, by, signal = null }: { fileName: string; by: string | null; signal?: AbortSignal | null },
): Promise<Upload | null> {
  const name = normalizeText(fileName, 'NFC')
  const own = by === null ? null : await newestComplete({ db, storage, signal }, account, { name, creator: by })
  return own ?? newestComplete({ db, storage, signal }, account, { name, creator: null })
}

type Finding = { db: Db; storage: Storage; signal: AbortSignal | null }

/** A bucket does not report finished uploads, so the sizes of later ones that are not known yet are asked for here. */
async function newestComplete(
  { db, storage, signal }: Finding,
  account: AccountId,
  wanted: { name: string; creator: string | null },
): Promise<Upload | null> {
  signal?.throwIfAborted()
  const known = await selectNewestUpload(db, account, wanted)
  const page = { ...wanted, since: known?.createdAt ?? null, limit: mostAsked }
  const open = await selectOpenUploads(db, account, page)
  for (let at = 0; at < open.length; at += askedAtOnce) {
    signal?.throwIfAborted()
    const found = await firstReceived(storage, open.slice(at, at + askedAtOnce))
    if (found === null) continue
    await receiveFromBucket(db, storage, account, found.storageKey, found.sizeBytes)
    return found
  }
  return known
}

/** Returns the first of some uploads that has a file. */
async function firstReceived(storage: Storage, uploads: readonly OpenUpload[]): Promise<Upload | null> {
  const sizes = await Promise.all(uploads.map(({ storageKey }) => storage.size(storageKey)))
  for (const [index, upload] of uploads.entries()) {
    const sizeBytes = sizes[index] ?? null
    if (sizeBytes !== null) return { ...upload, sizeBytes }
  }
  return null
}

/**
 * Completes the uploads of an account that a bucket has received, or whose process died before it recorded them, and
 * forgets those whose link was never used. Takes those created before `before`. Safe to repeat.
 */
export async function settleOpenUploads(
  { db, storage }: { db: Db; storage: Storage },
  account: AccountId,
  { before = new Date(Date.now() - unusedAfterMs), signal }: { before?: Date; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  for (let after: OpenUpload | null = null; ;) {
    const uploads: OpenUpload[] = await selectSettledNext(db, account, { before, after, limit: askedAtOnce })
    for (const { storageKey } of uploads) {
      if (signal?.aborted) return
      const sizeBytes = await storage.size(storageKey)
      if (sizeBytes === null) await deleteOpenUpload(db, account, storageKey)
      else await receiveFromBucket(db, storage, account, storageKey, sizeBytes).catch(unlessRefused)
    }
    after = uploads.at(-1) ?? null
    if (uploads.length < askedAtOnce) return
  }
}

/** An upload over a limit has been removed. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof AppError)) throw error
}
