import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'

type Sql = RawBuilder<unknown>

/** Digits of a row number: enough for every row of a file. */
const digits = 10

const firstDay = sql`'1970-01-01'::date`

/** A moment for each row number, by immutable functions (ADR 0071). */
const momentOf = (rowNumber: Sql): Sql =>
  sql`(('1970-01-01'::timestamp + (${rowNumber})::float8 * interval '1 second') AT TIME ZONE 'UTC')`

/**
 * SQL for the last non-empty value among several rows of a file: the maximum of row number and value. So one value is held at a
 * time, however many rows a contact has, unlike in an array of all (ADR 0166).
 */
export function lastValue(value: Sql, type: FieldType | 'integer', rowNumber: Sql): Sql {
  const ofPair = (number: Sql, typed: Sql): Sql =>
    sql`(max(ARRAY[${number}, ${typed}]) FILTER (WHERE ${value} IS NOT NULL))[2]`
  switch (type) {
    case 'string':
      return sql`substr(max((lpad((${rowNumber})::text, ${sql.lit(digits)}, '0') || ${value}) COLLATE "C"), ${sql.lit(digits + 1)})`
    case 'number':
      return ofPair(sql`(${rowNumber})::float8`, sql`(${value})::float8`)
    case 'integer':
      return sql`${ofPair(sql`(${rowNumber})::bigint`, sql`(${value})::bigint`)}::integer`
    case 'date':
      return ofPair(momentOf(rowNumber), sql`(${value})::timestamptz`)
    case 'day':
      return ofPair(sql`(${firstDay} + (${rowNumber})::integer)`, sql`(${value})::date`)
    case 'boolean':
      return sql`(max((${rowNumber})::bigint * 2 + (${value})::integer) % 2 = 1)`
  }
}
