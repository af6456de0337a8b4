import { fileDays } from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/identity'
import { removeOldUploads } from '#files'
import { listAccounts } from '#accounts'
import type { Database } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import { selectExpiredFiles, selectUploadsInUse, updateFileRemoved } from './downloads.queries.ts'

type RetentionDeps = { database: Database; storage: Storage; log: Logger }

const hourMs = 3600 * 1000
const firstAfterMs = 60 * 1000
const atOnce = 200

/**
 * Removes files whose days are over, now and every hour as long as the process runs. Several processes may do so at once:
 * what is gone already is no error.
 */
export function sweepHourly(deps: RetentionDeps): void {
  const sweep = (): void => {
    removeExpiredFiles(deps).catch((error: unknown) => deps.log.warn({ err: error }, 'old files were not removed'))
  }
  // Not while the portal starts; and a process that ends does not wait for it.
  setTimeout(sweep, firstAfterMs).unref()
  setInterval(sweep, hourMs).unref()
}

/**
 * Removes exported files, reports and uploads that are older than their days. A file goes before the record that it is
 * gone, so one that was stopped in between goes on the next time. Answers how many went.
 */
export async function removeExpiredFiles({ database: { db }, storage, log }: RetentionDeps): Promise<number> {
  const before = new Date(Date.now() - fileDays * 24 * hourMs)
  let removed = 0
  for (const { Key: account } of await listAccounts(db)) {
    removed += await removeFiles({ db, storage }, account, before)
    removed += await removeOldUploads({ db, storage }, account, before, await selectUploadsInUse(db, account))
  }
  if (removed > 0) log.info({ removed }, 'files whose days are over were removed')
  return removed
}

async function removeFiles(
  { db, storage }: { db: Database['db']; storage: Storage },
  account: AccountId,
  before: Date,
): Promise<number> {
  let removed = 0
  for (;;) {
    const expired = await selectExpiredFiles(db, account, before, atOnce)
    for (const file of expired) {
      await storage.remove(file.storageKey)
      await updateFileRemoved(db, account, file, new Date())
    }
    removed += expired.length
    if (expired.length < atOnce) return removed
  }
}
