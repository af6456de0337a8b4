import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { selectPartTables } from '#contacts'
import { type Database, type Db, isLockTimeout, setLocally } from '#platform/database.ts'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { deleteOfContacts } from './deletes.queries.ts'

// Shorter than PostgreSQL's deadlock timeout of one second: the delete gives way, never the import.
const lockTimeout = '200ms'
const retryMs = 100

/** When fewer contacts were deleted or restored, the planner's statistics are still good enough. */
export const worthAnalyzing = 10_000

/**
 * Runs one step in a transaction, and retries it while another transaction writes the same contacts. `subject`: the
 * account and the job, for the log.
 * @throws JobInterrupted when the worker stops
 */
export async function inTurn<T>(
  { database, log }: { database: Pick<Database, 'db'>; log: Logger },
  subject: object,
  signal: AbortSignal,
  step: (tx: Db) => Promise<T>,
): Promise<T> {
  for (;;) {
    if (signal.aborted) throw new JobInterrupted()
    try {
      return await database.db.transaction().execute(async (tx) => {
        await setLocally(tx, 'lock_timeout', lockTimeout)
        return step(tx)
      })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      log.info(subject, 'a job waits for something else that writes the same contacts')
      await sleep(retryMs)
    }
  }
}

type BesideContacts = { table: string; column: 'id' | 'contact_id' }

/** Returns the tables with rows of contacts, except `contacts` itself. */
export async function tablesBesideContacts(db: Db, account: AccountId): Promise<BesideContacts[]> {
  const parts = (await selectPartTables(db, account)).filter((table) => table !== 'contacts')
  const ofContacts = ['contact_keys', 'contact_words', ...parts].map((table) => ({ table, column: 'id' as const }))
  return [
    { table: 'events', column: 'contact_id' },
    { table: 'contact_changes', column: 'contact_id' },
    { table: 'import_changes', column: 'contact_id' },
    { table: 'written_texts', column: 'contact_id' },
    { table: 'merged_keys', column: 'contact_id' },
    ...ofContacts,
  ]
}

/** Deletes contacts with all their data. They must be locked (`lockContacts`). */
export async function removeContacts(tx: Db, account: AccountId, ids: readonly string[]): Promise<void> {
  for (const { table, column } of await tablesBesideContacts(tx, account)) {
    await deleteOfContacts(tx, account, table, column, ids)
  }
  await deleteOfContacts(tx, account, 'contacts', 'id', ids)
}
