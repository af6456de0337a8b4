import type { Transaction } from 'kysely'
import type { Db } from '#platform/database.ts'
import { withLock } from '#platform/waits/locks.ts'

// Arbitrary, but the same in every process.
const accessLock = 7_215_096n

/**
 * Serializes changes of policies, groups and identities. They are rare, and their rules (a name unique across owners, at
 * least one power admin) span more rows than a constraint can check.
 * @throws unavailable after ten seconds of waiting
 */
export async function withAccessLock<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return withLock(db, accessLock, work)
}
