import type { AccountId } from '@portico/contract/accounts'
import { listAccounts } from '#accounts'
import { forgetOldDeletes } from '#deletes'
import { removeDeletedFields, removeLeftColumns } from '#fields'
import { settleOpenUploads } from '#files'
import { forgetOldImports, removeLeftOfImports } from '#imports'
import { tendTrigramIndexes } from '#indexes'
import type { Db } from '#platform/database.ts'
import { queueSegmentCounts } from '#segments'
import type { Services } from '#platform/services.ts'

/** Removes expired data from an account, or has its segments counted. Safe to repeat, even concurrently. */
type Cleanup = (db: Db, account: AccountId) => Promise<unknown>

const cleanups: readonly Cleanup[] = [
  removeLeftOfImports,
  removeDeletedFields,
  removeLeftColumns,
  forgetOldImports,
  forgetOldDeletes,
]

const everyMs = 3600 * 1000

/** Cleans up all accounts every hour, as long as the process runs. */
export function cleanUpHourly(parts: Pick<Services, 'database' | 'jobs' | 'log' | 'storage'>): void {
  parts.jobs.keepRunning(async (signal) => {
    const cleanUp = (): void => {
      cleanUpAccounts(parts, signal).catch((error: unknown) => {
        if (!signal.aborted) parts.log.warn({ err: error }, 'accounts were not cleaned up')
      })
    }
    setInterval(cleanUp, everyMs).unref()
  })
}

/**
 * One account whose server is away, or one cleanup that fails, keeps none of the others waiting. Begins nothing more once the worker
 * stops; the statement under way is cancelled then.
 */
export async function cleanUpAccounts(
  { database: { db }, jobs, log, storage }: Pick<Services, 'database' | 'jobs' | 'log' | 'storage'>,
  signal?: AbortSignal,
): Promise<void> {
  const dropUnusedIndexes: Cleanup = (own, account) => tendTrigramIndexes({ db: own, jobs }, account)
  const countSegments: Cleanup = (own, account) => queueSegmentCounts({ db: own, jobs }, account)
  const settleUploads: Cleanup = (own, account) => settleOpenUploads({ db: own, storage }, account, { signal })
  for (const { Key: account } of await listAccounts(db)) {
    for (const cleanUp of [...cleanups, dropUnusedIndexes, countSegments, settleUploads]) {
      if (signal?.aborted) return
      await cleanUp(db, account).catch((error: unknown) => {
        if (signal?.aborted) return
        log.warn({ err: error, account, cleanup: cleanUp.name }, 'an account was not cleaned up')
      })
    }
  }
}
