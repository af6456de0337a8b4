import { sql, type Transaction } from 'kysely'
import { type Db, inTransaction } from '#platform/database.ts'

// Arbitrary, but the same in every process.
const bootstrapLock = 7_215_094

/** Runs `work` in a transaction; processes that start at the same time take turns. */
export async function withBootstrapLock<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${bootstrapLock})`.execute(tx)
    return work(tx)
  })
}
