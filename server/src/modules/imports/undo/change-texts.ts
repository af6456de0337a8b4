import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { columnType, startOfDay, valueText } from '#contacts'

// How `import_changes` stores values: as texts created by immutable functions, which a server of Citus can call itself
// (ADR 0071), and from which exactly the same value can be read.

type Sql = RawBuilder<unknown>

const firstMoment = sql`'1970-01-01T00:00:00Z'::timestamptz`
const firstDay = sql`'1970-01-01'::date`

/** The stored text of a value. */
export function writtenText(value: Sql, type: FieldType): Sql {
  switch (type) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
      return sql`${value}::text`
    case 'date':
      return sql`extract(epoch FROM (${value} - ${firstMoment}))::text`
    case 'day':
      return sql`(${value} - ${firstDay})::text`
  }
}

/** Texts up to this number of bytes are stored themselves for later comparison; longer ones as a digest. */
const longest = 32

/** Returns a text that identifies a value later: the value itself, or a digest of a long one. */
export function mark(value: Sql, type: FieldType): Sql {
  return type === 'string' ? markOfText(value) : writtenText(value, type)
}

const markOfText = (text: Sql): Sql =>
  sql`CASE WHEN octet_length(${text}) > ${sql.lit(longest)} THEN md5(${text}) ELSE ${text} END`

/** Returns the value of a stored text. */
export function readText(text: Sql, type: FieldType): Sql {
  switch (type) {
    case 'string':
      return text
    case 'number':
    case 'boolean':
      return sql`(${text})::${columnType(type)}`
    case 'date':
      return sql`to_timestamp((${text})::float8)::${columnType(type)}`
    case 'day':
      return sql`(${firstDay} + (${text})::integer)`
  }
}

/**
 * A field's type when values were stored, and its present one: imports have widened it to text, or from days to
 * moments.
 */
type Widened = { stored: FieldType; type: FieldType; timeZone: string }

/** Returns the value of a stored text, in a field that may have been widened since. */
export function readWidened(text: Sql, { stored, type, timeZone }: Widened): Sql {
  const value = readText(text, stored)
  if (stored === type) return value
  return type === 'date' ? sql`${startOfDay(value, sql`${timeZone}`)}::${columnType('date')}` : valueText(value, stored)
}

/**
 * Returns a text that identifies a value (`mark`) in a field that may have been widened since it was stored as `text`.
 */
export function widenedMark(text: Sql, field: Widened): Sql {
  return field.stored === field.type ? text : mark(readWidened(text, field), field.type)
}
