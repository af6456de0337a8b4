import { normalizeText } from '@portico/domain/unicode'
import type { Readable } from 'node:stream'
import type { AccountId } from '@portico/contract/accounts'
import { filesApi } from '@portico/contract/files'
import type { Db } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { grantOf, type Storage } from '#platform/storage.ts'
import { newStorageKey } from './storage-keys.ts'
import {
  insertUpload,
  selectUploads,
  updateUploadCompleted,
  updateUploadRemoved,
  type UploadRow,
} from './uploads.queries.ts'

/** A complete file. */
export type Upload = { id: string; storageKey: string; fileName: string; sizeBytes: number }

// Covers the time from choosing a file to its first byte, not to its last.
const linkSeconds = 3600

// Rows looked up at a time. These include links that were never used, of which users may request any number while files
// are kept.
const candidatesAtOnce = 200

/** Creates an upload under a new key, and returns the signed link that receives its bytes. */
export async function createUpload(
  { db, account, caller }: Pick<AccountContext, 'db' | 'account' | 'caller'>,
  storage: Storage,
  { fileName, contentType }: { fileName: string; contentType: string | undefined },
): Promise<{ url: string }> {
  const storageKey = newStorageKey(account, 'uploads')
  // Before any bytes arrive: a full account accepts no file.
  await storage.requireRoom(storageKey, 1)
  await insertUpload(db, account, {
    id: crypto.randomUUID(),
    fileName,
    storageKey,
    contentType: contentType || null,
    creator: caller.email,
  })
  const grant = grantOf({ account, caller }, filesApi.createUpload, { fileName }, { type: contentType })
  return { url: await storage.uploadUrl(storageKey, { expiresInSeconds: linkSeconds, grant }) }
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
 * null if there is none. This keeps another user's later upload of the same name from replacing one's own.
 */
export async function findUpload(
  db: Db,
  storage: Storage,
  account: AccountId,
  { fileName, by }: { fileName: string; by: string | null },
): Promise<Upload | null> {
  const name = normalizeText(fileName, 'NFC')
  const own = by === null ? null : await newestComplete(db, storage, account, { name, creator: by })
  return own ?? newestComplete(db, storage, account, { name, creator: null })
}

/** A bucket does not report finished uploads, so the size is read here. */
async function newestComplete(
  db: Db,
  storage: Storage,
  account: AccountId,
  { name, creator }: { name: string; creator: string | null },
): Promise<Upload | null> {
  for (let skip = 0; ; skip += candidatesAtOnce) {
    const uploads = await selectUploads(db, account, name, { creator, limit: candidatesAtOnce, skip })
    const found = await firstComplete(storage, uploads)
    if (found?.isNew) await receiveFromBucket(db, storage, account, found.upload.storageKey, found.upload.sizeBytes)
    if (found) return found.upload
    if (uploads.length < candidatesAtOnce) return null
  }
}

/** Returns the first upload that has a file. `isNew`: its size was not known yet. */
async function firstComplete(
  storage: Storage,
  uploads: readonly UploadRow[],
): Promise<{ upload: Upload; isNew: boolean } | null> {
  const known = uploads.findIndex(({ sizeBytes }) => sizeBytes !== null)
  const candidates = known < 0 ? uploads : uploads.slice(0, known + 1)
  const sizes = await Promise.all(
    candidates.map(async ({ storageKey, sizeBytes }) => sizeBytes ?? (await storage.size(storageKey))),
  )
  for (const [index, upload] of candidates.entries()) {
    const sizeBytes = sizes[index] ?? null
    if (sizeBytes !== null) return { upload: { ...upload, sizeBytes }, isNew: upload.sizeBytes === null }
  }
  return null
}
