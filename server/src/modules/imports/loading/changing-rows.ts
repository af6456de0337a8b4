import { type RawBuilder, sql } from 'kysely'

/** A value of a row, and the contact's value before the first of these rows. */
export type RowValue = { value: RawBuilder<unknown>; known: RawBuilder<unknown> }

/** Rows to compare: their FROM list with its conditions, the number of a row, and its contact. */
export type ComparedRows = { source: RawBuilder<unknown>; rowNumber: RawBuilder<unknown>; contact: RawBuilder<unknown> }

/** Digits of a row number: enough for every contact in an import. */
const digits = 10

/**
 * The numbers (`row_no`) of the rows that change their contact: rows with a value that differs from the previous one,
 * in an earlier row or else in the contact. At most 300 values, since a row of the database holds both and the compared
 * values.
 */
export function changingRows({ source, rowNumber, contact }: ComparedRows, values: readonly RowValue[]) {
  if (values.length === 0) return sql`SELECT NULL::bigint AS row_no WHERE false`
  const changes = values.map(({ value, known }) => {
    // The largest row number precedes the last value: PostgreSQL cannot skip missing values in a window.
    const numbered = sql`lpad((${rowNumber})::text, ${sql.lit(digits)}, '0') || ${value}::text`
    const before = sql`substr(max((${numbered}) COLLATE "C") OVER earlier, ${sql.lit(digits + 1)})`
    return sql`(${value} IS NOT NULL AND ${value}::text IS DISTINCT FROM coalesce(${before}, ${known}::text))`
  })
  return sql`
    SELECT compared.row_no FROM (
      SELECT ${rowNumber} AS row_no, ${sql.join(changes, sql` OR `)} AS is_change FROM ${source}
      WINDOW earlier AS (PARTITION BY ${contact} ORDER BY ${rowNumber} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ) AS compared WHERE compared.is_change`
}
