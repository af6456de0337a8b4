import type { Transaction } from 'kysely'
import type { Db } from '#platform/database.ts'
import { withLock } from '#platform/waits/locks.ts'
import { portalLock } from '#platform/waits/lock-keys.ts'

/**
 * Serializes changes of policies, groups and identities. They are rare, and their rules (a name unique across owners,
 * at least one power admin) span more rows than a constraint can check.
 * @throws unavailable after ten seconds of waiting
 */
export async function withAccessLock<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return withLock(db, portalLock('access'), work)
}
