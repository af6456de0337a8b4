import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { columnType, startOfDay, valueText } from '#contacts'

// How `import_changes` writes values: texts that immutable functions make, so that a server of Citus can do so itself (ADR
// 0071), and that give exactly the same value again.

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

/** Bytes of a text that is stored itself, to be compared later; of longer ones, a digest is. */
const longest = 32

/** A text to recognize a value by later: its own, or a digest of a long one. */
export function mark(value: Sql, type: FieldType): Sql {
  return type === 'string' ? markOfText(value) : writtenText(value, type)
}

const markOfText = (text: Sql): Sql =>
  sql`CASE WHEN octet_length(${text}) > ${sql.lit(longest)} THEN md5(${text}) ELSE ${text} END`

/** The value of a stored text. */
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

/** A field as it was when values were stored, and as it is by now: imports have widened it to text, or from days to moments. */
type Widened = { stored: FieldType; type: FieldType; timeZone: string }

/** The value of a stored text, in a field that may have been widened since. */
export function readWidened(text: Sql, { stored, type, timeZone }: Widened): Sql {
  const value = readText(text, stored)
  if (stored === type) return value
  return type === 'date' ? sql`${startOfDay(value, sql`${timeZone}`)}::${columnType('date')}` : valueText(value, stored)
}

/** A text to recognize a value by (`mark`) in a field that may have been widened since it was stored as `text`. */
export function widenedMark(text: Sql, field: Widened): Sql {
  return field.stored === field.type ? text : mark(readWidened(text, field), field.type)
}
