import type { AccountId } from '@portico/contract/accounts'
import { isServerAway } from '#platform/citus/server-away.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import type { FileKeys } from '#platform/registration.ts'
import type { Storage } from '#platform/storage.ts'
import {
  deletePendingFile,
  selectPendingAccounts,
  selectPendingFiles,
  updatePendingSeen,
  upsertPendingFile,
} from './pending-files.queries.ts'

const seenEveryMs = 5 * 60_000
// A process not seen for this time is dead, or has committed its records.
const abandonedAfterMs = 3600_000
const batchSize = 200

/**
 * A storage that records each file before writing it (ADR 0084). If the process dies in between, `removeAbandoned`
 * finds the file by this record.
 */
export function recordedStorage(storage: Storage, db: Db, log: Logger): Storage {
  // Files that this process is writing.
  const writing = new Map<string, AccountId | null>()
  const see = async (): Promise<void> => {
    for (const [account, keys] of Map.groupBy(writing.keys(), (key) => writing.get(key) ?? null)) {
      await updatePendingSeen(db, account, keys, new Date())
    }
  }
  const timer = setInterval(() => {
    see().catch((error: unknown) => log.warn({ err: error }, 'files being written were not recorded'))
  }, seenEveryMs)
  timer.unref()
  return {
    ...storage,
    async put(key, content, options) {
      const account = ownerOf(key)
      await upsertPendingFile(db, account, key, new Date())
      writing.set(key, account)
      try {
        return await storage.put(key, content, options)
      } finally {
        writing.delete(key)
        // The record that names the file follows; without it the file is removed.
        await updatePendingSeen(db, account, [key], new Date()).catch(() => {})
      }
    },
  }
}

/**
 * Releases a file that a record named until the transaction `tx`. The returned function removes it after the commit; if
 * the process dies first, the next sweep does.
 */
export async function releaseFile(
  tx: Db,
  { db, storage, log }: { db: Db; storage: Storage; log: Logger },
  key: string,
): Promise<() => Promise<void>> {
  const account = ownerOf(key)
  const at = new Date()
  await upsertPendingFile(tx, account, key, at)
  return async () => {
    try {
      await storage.remove(key)
      await deletePendingFile(db, account, key, at)
    } catch (error) {
      log.warn({ err: error, key }, 'a file was not removed yet')
    }
  }
}

/**
 * Removes files that no record names, and leftovers of dead processes: files that were begun or released and that no
 * process has worked on for an hour. Returns the number removed.
 */
export async function removeAbandoned(
  { database: { db }, storage, log }: { database: Pick<Database, 'db'>; storage: Storage; log: Logger },
  sources: readonly FileKeys[],
  before = new Date(Date.now() - abandonedAfterMs),
): Promise<number> {
  let removed = 0
  for (const account of await selectPendingAccounts(db, before)) {
    try {
      removed += await removeOf({ db, storage }, account, sources, before)
    } catch (error) {
      // The next sweep finds them again.
      if (!isServerAway(error)) throw error
      log.warn({ err: error, account }, 'abandoned files of an account were not removed')
    }
  }
  if (removed > 0) log.info({ removed }, 'abandoned files were removed')
  return removed
}

async function removeOf(
  { db, storage }: { db: Db; storage: Storage },
  account: AccountId | null,
  sources: readonly FileKeys[],
  before: Date,
): Promise<number> {
  let removed = 0
  for (let after = ''; ;) {
    const keys = await selectPendingFiles(db, account, { before, after, limit: batchSize })
    const states = await statesOf(db, account, sources, keys)
    for (const key of keys) {
      const state = states.get(key)
      if (state === 'in use') continue
      await storage.removeUnfinished(key)
      if (state === undefined && (await storage.size(key)) !== null) {
        await storage.remove(key)
        removed++
      }
      await deletePendingFile(db, account, key, before)
    }
    const last = keys.at(-1)
    if (last === undefined || keys.length < batchSize) return removed
    after = last
  }
}

async function statesOf(
  db: Db,
  account: AccountId | null,
  sources: readonly FileKeys[],
  keys: readonly string[],
): Promise<Map<string, 'kept' | 'in use'>> {
  const states = new Map<string, 'kept' | 'in use'>()
  for (const { kind, states: find } of sources) {
    const own = keys.filter((key) => key.split('/')[1] === kind)
    if (own.length === 0) continue
    for (const [key, state] of await find(db, account, own)) states.set(key, state)
  }
  return states
}

/** The account of a key; null for the portal's own files. */
function ownerOf(key: string): AccountId | null {
  const account = Number(key.split('/')[0])
  return Number.isInteger(account) ? account : null
}
