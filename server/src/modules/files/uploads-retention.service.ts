import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { selectOldUploads, selectUploadedBytes, updateUploadRemoved } from './uploads.queries.ts'

const batchSize = 200

/**
 * Removes the uploads of an account that are older than `before`, except those with the given keys, which are in use.
 * Returns how many were removed. Each file is removed before its row is marked, so an interrupted run continues next time.
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

/** Storage used by the account's uploads, in bytes. */
export async function uploadedBytes(db: Db, account: AccountId): Promise<number> {
  return selectUploadedBytes(db, account)
}
