import { type RawBuilder, sql } from 'kysely'
import { trimmedText, valueText } from '#contacts'
import type { ContactFilterField, Sql } from '#filters'
import type { Db } from '#platform/database.ts'
import { mostJudged } from './guessing.ts'

/** Contacts to read: SQL for the FROM clause with the tables of the fields. */
export type RatedColumns = { from: Sql; fields: readonly ContactFilterField[]; limit: number }

/** The beginnings of the fields' texts for a sample of contacts that have all values, in the order of the fields. */
export async function sampleTexts(db: Db, rated: RatedColumns): Promise<string[][]> {
  const { rows } = await sql<{ texts: string[] }>`
    SELECT ARRAY[${sql.join(rated.fields.map(startOf))}]::text[] AS texts FROM ${rated.from}
    WHERE ${arePresent(rated.fields)} LIMIT ${rated.limit}`.execute(db)
  return rows.map(({ texts }) => texts)
}

/** Of at most `limit` contacts that have all values: their number, and the number whose values no other contact has. */
export async function countUnique(
  db: Db,
  { from, fields, limit }: RatedColumns,
): Promise<{ contacts: number; unique: number }> {
  const names = fields.map((_field, at) => sql.id(`v${at}`))
  const values = fields.map((field, at) => sql`lower(${trimmedText(textOf(field))}) AS ${sql.id(`v${at}`)}`)
  const { rows } = await sql<{ contacts: number; unique: number }>`
    SELECT coalesce(sum(holders), 0)::float8 AS contacts, count(*) FILTER (WHERE holders = 1)::float8 AS unique FROM (
      SELECT count(*) AS holders FROM (
        SELECT ${sql.join(values)} FROM ${from} WHERE ${arePresent(fields)} LIMIT ${limit}
      ) AS sampled GROUP BY ${sql.join(names)}
    ) AS grouped`.execute(db)
  return rows[0] ?? { contacts: 0, unique: 0 }
}

const textOf = ({ sql: value, type }: ContactFilterField): RawBuilder<unknown> =>
  type === 'id' ? sql`(${value})::text` : valueText(value, type)

const startOf = (field: ContactFilterField): RawBuilder<unknown> => sql`left(${textOf(field)}, ${mostJudged})`

const arePresent = (fields: readonly ContactFilterField[]): RawBuilder<unknown> =>
  sql.join(
    fields.map((field) => sql`${field.sql} IS NOT NULL`),
    sql` AND `,
  )
