import { sql } from 'kysely'
import type { Sql } from '#filters'
import type { Db } from '#platform/database.ts'

type Counts = { contacts: number; filled: number; distinct: number }

/** `from`: the contacts of the account that the reader may see. */
export async function countValues(db: Db, from: Sql, value: Sql): Promise<Counts> {
  const { rows } = await sql<Counts>`
    SELECT count(*)::float8 AS contacts, count(${value})::float8 AS filled, count(DISTINCT ${value})::float8 AS "distinct"
    FROM ${from}`.execute(db)
  return rows[0] ?? { contacts: 0, filled: 0, distinct: 0 }
}

const shownValues = 5
/** Characters of a value that are shown. */
const shownLength = 200

/** The most frequent values, with the number of contacts that have them. */
export async function readFrequentValues(
  db: Db,
  from: Sql,
  { value, text }: { value: Sql; text: Sql },
): Promise<{ value: string; contacts: number }[]> {
  const { rows } = await sql<{ value: string; contacts: number }>`
    SELECT left(${text}, ${sql.lit(shownLength)}) AS value, count(*)::float8 AS contacts FROM ${from}
    WHERE ${value} IS NOT NULL GROUP BY ${value} ORDER BY 2 DESC, 1 LIMIT ${sql.lit(shownValues)}`.execute(db)
  return rows
}
