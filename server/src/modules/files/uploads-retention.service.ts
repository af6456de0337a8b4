import type { AccountId } from '@portico/contract/accounts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import { releaseFile } from './pending-files.service.ts'
import { selectOldUploads, selectUploadedBytes, updateUploadRemoved } from './uploads.queries.ts'

const batchSize = 200

/**
 * Removes the uploads of an account that are older than `before`, except those with the given keys, which are in use.
 * Returns the number removed.
 */
export async function removeOldUploads(
  deps: { db: Db; storage: Storage; log: Logger },
  account: AccountId,
  before: Date,
  except: readonly string[],
): Promise<number> {
  let removed = 0
  for (;;) {
    const keys = await selectOldUploads(deps.db, account, { before, except, limit: batchSize })
    for (const key of keys) {
      const remove = await inTransaction(deps.db, async (tx) => {
        await updateUploadRemoved(tx, account, key)
        return releaseFile(tx, deps, key)
      })
      await remove()
    }
    removed += keys.length
    if (keys.length < batchSize) return removed
  }
}

/** Storage used by the account's uploads, in bytes. */
export async function uploadedBytes(db: Db, account: AccountId): Promise<number> {
  return selectUploadedBytes(db, account)
}
