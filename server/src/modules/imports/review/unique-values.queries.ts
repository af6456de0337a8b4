import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { ContactField } from '#contacts'
import type { UniqueIndex } from '#indexes'
import { accountTable, type Db } from '#platform/database.ts'
import { oneByOne } from '#platform/rows/one-by-one.ts'
import { lastValue } from '../loading/last-value.ts'
import { stagedRows, stageTable } from '../loading/stage.queries.ts'
import { comparedValue, type MatchedFile } from './review-outcome.queries.ts'

/**
 * Returns the beginning of the values of a unique index that two contacts would share after the import, joined by
 * commas; null if there are none. The last value of a contact counts, as in the import; a contact without a value for
 * one of the fields shares none.
 */
export async function findRepeatedValues(
  db: Db,
  account: AccountId,
  file: MatchedFile,
  { fields }: UniqueIndex,
): Promise<string | null> {
  const keys = fields.map((field) => ({ field, column: columnOf(file, field) }))
  const positions = keys.flatMap(({ column }) => (column ? [column.position] : []))
  const [first] = fields
  if (!first || positions.length === 0) return null
  const contacts = accountTable(account, first.table)
  const matched = stageTable(account, file.id, 'matched')
  // Only of fields that the file has: of the others, the contact keeps its value.
  const last = keys.flatMap(({ column }, at) => {
    if (!column) return []
    const { value } = comparedValue(column, file)
    return sql`${lastValue(value, column.field.type, sql`m.row_no`)} AS ${key(at)}`
  })
  const known = keys.map(({ field, column }) =>
    column ? comparedValue(column, file).known : sql`c.${sql.id(field.column)}`,
  )
  const withFile = keys.map(({ column }, at) =>
    column ? sql`coalesce(l.${key(at)}, ${known[at]}) AS ${key(at)}` : sql`${known[at]} AS ${key(at)}`,
  )
  const withoutFile = known.map((value, at) => sql`${value} AS ${key(at)}`)
  const all = sql.join(keys.map((_, at) => key(at)))
  const isWhole = sql.join(
    keys.map((_, at) => sql`${key(at)} IS NOT NULL`),
    sql` AND `,
  )
  const { rows } = await sql<{ values: string }>`
    WITH last AS MATERIALIZED (
      SELECT m.contact_id, ${sql.join(last)}
      FROM ${matched} AS m JOIN ${stagedRows(account, file.id, file.plan, positions)} ON g0.row_no = m.row_no
      GROUP BY m.contact_id HAVING ${oneByOne}
    ), changed AS MATERIALIZED (
      SELECT ${sql.join(withFile)} FROM last AS l LEFT JOIN ${contacts} AS c ON c.id = l.contact_id
    ), all_values AS (
      SELECT ${all} FROM changed WHERE ${isWhole}
      UNION ALL
      SELECT ${all} FROM (
        SELECT ${sql.join(withoutFile)} FROM ${contacts} AS c 
          WHERE NOT EXISTS (SELECT FROM last WHERE last.contact_id = c.id)
      ) AS others WHERE (${all}) IN (SELECT ${all} FROM changed WHERE ${isWhole})
    )
    SELECT left(concat_ws(', ', ${all}), ${sql.lit(exampleLetters)}) AS values FROM all_values GROUP BY ${all} HAVING count(*) > 1 LIMIT 1`.execute(
    db,
  )
  return rows[0]?.values ?? null
}

/** More than a reason shows. */
const exampleLetters = 200

const key = (at: number) => sql.id(`k${at}`)

const columnOf = ({ plan }: MatchedFile, field: ContactField) =>
  plan.columns.find(({ before }) => before?.id === field.id)
