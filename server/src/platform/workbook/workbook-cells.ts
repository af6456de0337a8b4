import type { CellType } from '@portico/contract/workbook/sheet-columns'
import { type RawBuilder, sql } from 'kysely'

type Sql = RawBuilder<unknown>

/** A column of a sheet. `value`: its SQL expression, of the type that `type` declares; `timestamptz` for moments. */
type ColumnValue = { type: CellType; value: Sql }

/** Starts a value that is not of type text, but that its sheet must show as text. */
export const textMark = '~'

/** Days between 30 December 1899, day 0 of sheets, and 1970. */
const daysUntil1970 = 25_569

/**
 * Returns SQL for the value of a cell as a sheet counts it, for COPY's text format: booleans as 0 and 1, days as their
 * number, moments as the number of days of the clock in `timeZone`. Sheets support neither days before March 1900, as
 * they have a 29 February of that year, nor years of five digits: those become text. The same applies to moments whose
 * local year is such a year or before 1000, but in UTC: an import could not read them.
 */
export function sheetValue({ type, value }: ColumnValue, timeZone: string): Sql {
  if (type === 'boolean') return sql`(${value})::int`
  if (type === 'day') {
    return sql`CASE WHEN ${value} BETWEEN DATE '1900-03-01' AND DATE '9999-12-31'
      THEN (${value} - DATE '1899-12-30')::text ELSE ${sql.lit(textMark)} || (${value})::text END`
  }
  if (type === 'date') {
    const local = sql`(${value} AT TIME ZONE ${sql.lit(timeZone)})`
    return sql`CASE WHEN ${local} >= '1900-03-01' AND ${local} < '10000-01-01'
      THEN (extract(epoch FROM ${local})::float8 / 86400 + ${sql.lit(daysUntil1970)})::text
      WHEN ${local} >= '1000-01-01' AND ${local} < '10000-01-01' THEN ${sql.lit(textMark)} || (${local})::text
      ELSE ${sql.lit(textMark)} || to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END`
  }
  return value
}
