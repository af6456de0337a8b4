import { type Transaction, sql } from 'kysely'
import { type Db, inTransaction } from '#platform/database.ts'

// Any number; it only has to be the same in every process that changes policies, groups or identities.
const accessLock = 7_215_096

/**
 * Changes of policies, groups and identities are made one after the other: they are rare, and their rules (a name that is
 * free in two places, somebody is left who is a power admin) look at more rows than a constraint sees.
 */
export async function withAccessLock<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${accessLock})`.execute(tx)
    return work(tx)
  })
}
