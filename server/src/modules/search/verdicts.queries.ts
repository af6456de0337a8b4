import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { Sql } from '#filters'
import { type Db, selectValues } from '#platform/database.ts'

/** One contact: whether it meets each of the conditions, and the values. */
export type JudgedRow = { verdicts: boolean[]; values: unknown[] }

/** `from` reads one contact at most. A condition may be NULL, which is no match; null matches all. */
export type VerdictStatement = { from: Sql; conditions: readonly (Sql | null)[]; values: readonly Sql[] }

/**
 * Judges all conditions in one statement. Null if there is no contact.
 */
export async function selectVerdicts(
  db: Db,
  account: AccountId,
  { from, conditions, values }: VerdictStatement,
): Promise<JudgedRow | null> {
  const verdicts = conditions.map((condition) => sql`(${condition ?? sql`TRUE`}) IS TRUE`)
  // In one array: there may be more conditions than a row has columns.
  const columns = [sql`ARRAY[${sql.join(verdicts)}]::boolean[]`, ...values]
  const [row] = await selectValues(db, sql`SELECT ${sql.join(columns)} FROM ${from}`)
  if (!row) return null
  const [judged, ...seen] = row
  // The first column is the array.
  return { verdicts: judged as boolean[], values: seen }
}
