import type { AccountId } from '@portico/contract/identity'
import type { Db } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { selectOldUploads, selectUploadedBytes, updateUploadRemoved } from './uploads.queries.ts'

const atOnce = 200

/**
 * Removes the uploads of an account that are older than `before`, except those whose keys are named: somebody still needs
 * them. Stopped halfway it goes on the next time; a file goes before the record that it is gone. Answers how many went.
 */
export async function removeOldUploads(
  { db, storage }: { db: Db; storage: Storage },
  account: AccountId,
  before: Date,
  except: readonly string[],
): Promise<number> {
  let removed = 0
  for (;;) {
    const keys = await selectOldUploads(db, account, { before, except, limit: atOnce })
    for (const key of keys) {
      await storage.remove(key)
      await updateUploadRemoved(db, account, key)
    }
    removed += keys.length
    if (keys.length < atOnce) return removed
  }
}

/** Bytes that the account's uploads take in the storage. */
export async function uploadedBytes(db: Db, account: AccountId): Promise<number> {
  return selectUploadedBytes(db, account)
}
