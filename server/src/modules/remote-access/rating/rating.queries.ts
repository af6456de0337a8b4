import { sql } from 'kysely'
import type { Sql } from '#filters'
import type { Db } from '#platform/database.ts'

/** A sample of contacts that have all values: texts in the order of the columns. */
export async function sampleTexts(
  reader: Db,
  { from, columns, limit }: { from: Sql; columns: readonly Sql[]; limit: number },
): Promise<string[][]> {
  const { rows } = await sql<{ texts: string[] }>`
    SELECT ARRAY[${sql.join([...columns])}]::text[] AS texts FROM ${from}
    WHERE ${sql.join(
      columns.map((column) => sql`${column} IS NOT NULL`),
      sql` AND `,
    )} LIMIT ${limit}`.execute(reader)
  return rows.map(({ texts }) => texts)
}

/** Of at most `limit` contacts that have all values: how many there are, and how many have values of their own. */
export async function countUnique(
  reader: Db,
  { from, columns, limit }: { from: Sql; columns: readonly Sql[]; limit: number },
): Promise<{ contacts: number; unique: number }> {
  const names = columns.map((_column, at) => sql.id(`v${at}`))
  const keys = columns.map((column, at) => sql`lower(btrim((${column})::text)) AS ${sql.id(`v${at}`)}`)
  const { rows } = await sql<{ contacts: number; unique: number }>`
    SELECT coalesce(sum(holders), 0)::float8 AS contacts, count(*) FILTER (WHERE holders = 1)::float8 AS unique FROM (
      SELECT count(*) AS holders FROM (
        SELECT ${sql.join(keys)} FROM ${from}
        WHERE ${sql.join(
          columns.map((column) => sql`${column} IS NOT NULL`),
          sql` AND `,
        )} LIMIT ${limit}
      ) AS sampled GROUP BY ${sql.join(names)}
    ) AS grouped`.execute(reader)
  return rows[0] ?? { contacts: 0, unique: 0 }
}
