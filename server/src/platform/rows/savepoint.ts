import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Runs a part of the open transaction `tx`. Where it fails, nothing of it is changed, and the transaction can go on. */
export async function inSavepoint<T>(tx: Db, work: () => Promise<T>): Promise<T> {
  await sql`SAVEPOINT part`.execute(tx)
  try {
    const done = await work()
    await sql`RELEASE SAVEPOINT part`.execute(tx)
    return done
  } catch (error) {
    // Fails where the connection is lost, which the first error tells already.
    await rollBack(tx).catch(() => {})
    throw error
  }
}

/** Also removes the savepoint: one around it has the same name. */
async function rollBack(tx: Db): Promise<void> {
  await sql`ROLLBACK TO SAVEPOINT part`.execute(tx)
  await sql`RELEASE SAVEPOINT part`.execute(tx)
}
