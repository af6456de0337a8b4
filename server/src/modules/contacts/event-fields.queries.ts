import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db, inTransaction } from '#platform/database.ts'

/** The names of the details that applications have recorded with events, sorted. */
export async function selectEventFields(db: Db, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${accountTable(account, 'event_fields')} ORDER BY lower(name), name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Inserts names of details; known ones stay. */
export async function insertEventFields(db: Db, account: AccountId, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  // In the same order everywhere, which avoids deadlocks.
  await sql`
    INSERT INTO ${accountTable(account, 'event_fields')} (name)
    SELECT name FROM unnest(${sql.val(names)}::text[]) AS named (name) ORDER BY name
    ON CONFLICT (name) DO NOTHING`.execute(db)
}

// Any number; the account makes it the lock of one account.
const collectedLock = 7_215_097n << 32n

/**
 * Inserts names that pages of other sites use, at most `most` of them in an account. Returns those of `names` that the
 * account has now, from pages or applications.
 */
export async function insertCollectedFields(
  db: Db,
  account: AccountId,
  names: readonly string[],
  most: number,
): Promise<string[]> {
  const table = accountTable(account, 'event_fields')
  const wanted = sql`unnest(${sql.val([...names])}::text[]) AS wanted (name)`
  return inTransaction(db, async (tx) => {
    // Otherwise two requests could each add the last name.
    await sql`SELECT pg_advisory_xact_lock(${String(collectedLock + BigInt(account))}::bigint)`.execute(tx)
    await sql`
      INSERT INTO ${table} (name, is_collected)
      SELECT wanted.name, TRUE FROM ${wanted} LEFT JOIN ${table} AS known ON known.name = wanted.name
      WHERE known.name IS NULL ORDER BY wanted.name
      LIMIT greatest(0, ${most}::int - (SELECT count(*)::int FROM ${table} WHERE is_collected))
      ON CONFLICT (name) DO NOTHING`.execute(tx)
    const { rows } = await sql<{ name: string }>`
      SELECT known.name FROM ${wanted} JOIN ${table} AS known ON known.name = wanted.name`.execute(tx)
    return rows.map(({ name }) => name)
  })
}
