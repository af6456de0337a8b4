import { type Transaction, sql } from 'kysely'
import { type Db, inTransaction } from '#platform/database.ts'

// Arbitrary, but the same in every process.
const accessLock = 7_215_096

/**
 * Serializes changes of policies, groups and identities. They are rare, and their rules (a name unique across owners, at
 * least one power admin) span more rows than a constraint can check.
 */
export async function withAccessLock<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${accessLock})`.execute(tx)
    return work(tx)
  })
}
