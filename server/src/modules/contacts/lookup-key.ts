import { type FieldType, isDateType } from '@portico/contract/contacts'
import { normalizeText } from '@portico/domain/unicode'
import { withoutOuterSpace } from '@portico/domain/white-space'
import { type RawBuilder, sql } from 'kysely'
import { trimmedText } from './trimmed-text.ts'
import type { ContactField } from './fields.service.ts'
import { startOfDay, valueText } from './fields.queries.ts'

/** Separates values, so 'ab' + 'c' differs from 'a' + 'bc'. A value may itself contain it: see `lookupCondition`. */
const separator = sql`chr(31)`

/** A hash of one or two values, compared as in dedup: trimmed, ignoring letter case. Null if a value is missing. */
const hashOf = (values: readonly RawBuilder<unknown>[]) =>
  sql`md5(lower(${sql.join(
    values.map((value) => trimmedText(value)),
    sql` || ${separator} || `,
  )}))::uuid`

/**
 * SQL for the key by which a lookup index finds contacts: immutable, as an index requires. The fields must be in the
 * order of their ids, and in one table.
 */
export function lookupKey(fields: readonly ContactField[]): RawBuilder<unknown> {
  return hashOf(fields.map(({ column, type }) => keyText(sql.id(column), type)))
}

/**
 * SQL for whether a contact has given values. Its parameters are null, to be replaced in the order of
 * `lookupParameters`. Two values are compared by their joint key, which is indexed, and by the key of the first, as a
 * value may contain the separator.
 * @param timeZone in which days begin
 */
export function lookupCondition(fields: readonly ContactField[], timeZone: string): RawBuilder<unknown> {
  const compared = (some: readonly ContactField[]) => sql`${lookupKey(some)} = ${lookupValue(some, timeZone)}`
  return fields.length === 1 ? compared(fields) : sql`${compared(fields)} AND ${compared(fields.slice(0, 1))}`
}

/** SQL for the key of given values, to compare with `lookupKey` of the same fields. */
function lookupValue(fields: readonly ContactField[], timeZone: string): RawBuilder<unknown> {
  return hashOf(
    fields.map(({ type }) => {
      if (type === 'number') return valueText(sql`${null}::text::double precision`, 'number')
      if (!isDateType(type)) return sql`${null}::text`
      // A text is either a moment or a day; the other parameter is null.
      const [moment, day] = [sql`${null}::text::timestamptz`, sql`${null}::text`]
      // Named in a subquery, so that each parameter occurs once.
      const start = sql`(SELECT ${startOfDay(sql`given.day`, sql.lit(timeZone))} FROM (SELECT ${day}::date AS day) AS given)`
      return type === 'date'
        ? keyText(sql`coalesce(${moment}, ${start})`, type)
        : keyText(sql`coalesce((${moment} AT TIME ZONE ${sql.lit(timeZone)})::date, ${day}::date)`, type)
    }),
  )
}

/** The parameters of `lookupCondition`: null for a text that no contact can have as its value. */
export function lookupParameters(fields: readonly ContactField[], texts: readonly string[]): (string | null)[] {
  const ofAll = parametersOf(fields, texts)
  return fields.length === 1 ? ofAll : [...ofAll, ...parametersOf(fields.slice(0, 1), texts)]
}

/** The parameters of `lookupValue`. */
function parametersOf(fields: readonly ContactField[], texts: readonly string[]): (string | null)[] {
  return fields.flatMap(({ type }, at) => {
    const text = normalizeText(withoutOuterSpace(texts[at] ?? ''), 'NFC')
    const value = text === '' || text.includes('\0') ? null : text
    if (type === 'number') return [value !== null && numberPattern.test(value) ? value : null]
    if (!isDateType(type)) return [value]
    const date = value === null ? null : readDate(value)
    return [date && !date.isDay ? date.iso : null, date?.isDay ? date.iso : null]
  })
}

const numberPattern = /^[+-]?(\d{1,100}(\.\d{0,100})?|\.\d{1,100})(e[+-]?\d{1,2})?$/i

/** Reads `2026-01-31`, `1/31/2026` or a moment with its time zone; null for anything else, such as February 30. */
function readDate(text: string): { iso: string; isDay: boolean } | null {
  const [, month = '', day = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  const iso = year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(iso)
  if (!isDay && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(iso)) return null
  const moment = new Date(iso)
  if (Number.isNaN(moment.getTime())) return null
  // JavaScript reads February 30 as March 1.
  return !isDay || moment.toISOString().startsWith(iso) ? { iso, isDay } : null
}

/** The text of a value for keys. `to_char`, which formats moments and days elsewhere, cannot be indexed. */
function keyText(value: RawBuilder<unknown>, type: FieldType): RawBuilder<unknown> {
  if (type === 'date') return sql`extract(epoch FROM (${value}) AT TIME ZONE 'UTC')::text`
  return type === 'day' ? sql`((${value}) - DATE '1970-01-01')::text` : valueText(value, type)
}
