import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Database, type Db, isLockTimeout, setLocally } from '#platform/database.ts'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'

// Jobs that write existing contacts take turns with people, and with each other.

// Shorter than PostgreSQL's deadlock timeout of one second: the job gives way, not the other transaction.
const lockTimeout = '200ms'
const retryMs = 100

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

/**
 * Locks contacts, and returns those that exist: of the others, one may return at any moment, with its data. Fails at once if an
 * import is writing one of them: waiting could end in a deadlock.
 */
export async function lockContacts(db: Db, account: AccountId, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id::text AS id FROM ${accountTable(account, 'contacts')} AS c WHERE c.id = ANY(${sql.val(ids)}::bigint[])
    ORDER BY c.id FOR UPDATE NOWAIT`.execute(db)
  return rows.map(({ id }) => id)
}
