import { sql, type Transaction } from 'kysely'
import { type Db, inTransaction } from '#platform/database.ts'
import { portalLock } from '#platform/waits/lock-keys.ts'

/** Runs `work` in a transaction; processes that start at the same time take turns. */
export async function withBootstrapLock<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${String(portalLock('bootstrap'))}::bigint)`.execute(tx)
    return work(tx)
  })
}
