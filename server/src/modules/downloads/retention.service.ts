import { fileDays } from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/accounts'
import { releaseFile, removeAbandoned, removeOldUploads } from '#files'
import { listAccounts } from '#accounts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import type { FileKeys, FileSource, Registration } from '#platform/registration.ts'
import type { Storage } from '#platform/storage.ts'
import { selectExpiredFiles } from './downloads.queries.ts'
import { sourceOf } from './downloads.service.ts'

type RetentionDeps = { database: Database; storage: Storage; log: Logger }

const hourMs = 3600 * 1000
const firstSweepMs = 60 * 1000
const batchSize = 200

/**
 * Removes expired and abandoned files one minute from now and then every hour, until the process ends. Several
 * processes may do this at the same time: a file that is already removed is no error.
 */
export function sweepHourly(
  deps: RetentionDeps,
  registrations: readonly Registration[],
  fileKeys: readonly FileKeys[],
): void {
  const sweep = (): void => {
    removeExpiredFiles(deps, registrations)
      .then(() => removeAbandoned(deps, fileKeys))
      .catch((error: unknown) => deps.log.warn({ err: error }, 'old files were not removed'))
  }
  // Not during startup, and without keeping the process alive.
  setTimeout(sweep, firstSweepMs).unref()
  setInterval(sweep, hourMs).unref()
}

/**
 * Removes finished files and uploads older than `fileDays` from the storage. Returns the number removed. Their records
 * are marked first; if the process dies after that, `removeAbandoned` finds the files left behind.
 */
export async function removeExpiredFiles(
  { database: { db }, storage, log }: RetentionDeps,
  registrations: readonly Registration[],
): Promise<number> {
  const before = new Date(Date.now() - fileDays * 24 * hourMs)
  const sources = registrations.flatMap(({ files }) => files ?? [])
  let removed = 0
  for (const { Key: account } of await listAccounts(db)) {
    try {
      removed += await removeFiles({ db, storage, log }, sources, account, before)
      const inUse = await uploadsInUse(db, account, registrations)
      removed += await removeOldUploads({ db, storage, log }, account, before, inUse)
    } catch (error) {
      // The next sweep finds them again.
      if (!isServerAway(error)) throw error
      log.warn({ err: error, account }, 'old files of an account were not removed')
    }
  }
  if (removed > 0) log.info({ removed }, 'expired files were removed')
  return removed
}

async function uploadsInUse(db: Db, account: AccountId, registrations: readonly Registration[]): Promise<string[]> {
  const queries = registrations.flatMap(({ selectUploadsInUse }) => selectUploadsInUse ?? [])
  const keys = await Promise.all(queries.map((select) => select(db, account)))
  return keys.flat()
}

async function removeFiles(
  deps: { db: Db; storage: Storage; log: Logger },
  sources: readonly FileSource[],
  account: AccountId,
  before: Date,
): Promise<number> {
  const { db } = deps
  let removed = 0
  for (;;) {
    const expired = await selectExpiredFiles(db, account, sources, { before, limit: batchSize })
    for (const file of expired) {
      const remove = await inTransaction(db, async (tx) => {
        await sourceOf(sources, file).updateRemoved(tx, account, file.id, new Date())
        return releaseFile(tx, deps, file.storageKey)
      })
      await remove()
    }
    removed += expired.length
    if (expired.length < batchSize) return removed
  }
}
