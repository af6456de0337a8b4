import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { selectOldUploads, selectUploadedBytes, updateUploadRemoved } from './uploads.queries.ts'

const batchSize = 200

/**
 * Removes the uploads of an account that are older than `before`, except those in use, given by their keys. Returns how
 * many were removed. The file goes before its row is marked, so an interrupted sweep continues next time.
 */
export async function removeOldUploads(
  { db, storage }: { db: Db; storage: Storage },
  account: AccountId,
  before: Date,
  except: readonly string[],
): Promise<number> {
  let removed = 0
  for (;;) {
    const keys = await selectOldUploads(db, account, { before, except, limit: batchSize })
    for (const key of keys) {
      await storage.remove(key)
      await updateUploadRemoved(db, account, key)
    }
    removed += keys.length
    if (keys.length < batchSize) return removed
  }
}

/** Bytes that the account's uploads take in the storage. */
export async function uploadedBytes(db: Db, account: AccountId): Promise<number> {
  return selectUploadedBytes(db, account)
}
