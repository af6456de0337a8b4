import { filterLimits } from '@portico/contract/filter'
import { composed } from '@portico/domain/unicode'
import { sql } from 'kysely'
import { startOfDay } from '#contacts'
import { type FilterField, type FilterType, invalidFilter, isDated, type Sql } from './filter-field.ts'

/**
 * A value of a filter, checked against its field. `day`: a date without a time, compared with moments, means the whole
 * day. `moment`: a moment compared with days means its day in the field's time zone.
 */
export type FilterValue =
  | { kind: 'none' }
  | { kind: 'one'; value: string | number | boolean }
  | { kind: 'day'; day: string }
  | { kind: 'moment'; at: string }

const columnTypes = {
  string: 'text',
  number: 'float8',
  boolean: 'boolean',
  date: 'timestamptz',
  day: 'date',
  id: 'bigint',
}
const expected: Record<FilterType, string> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2026-01-31 or 2026-01-31T09:30:00Z',
  day: 'a date such as 2026-01-31',
  id: 'an id',
}
const maxId = 2n ** 63n - 1n

/** Checks a JSON value against a field. Null and the empty text both mean "no value". */
export function readValue(field: FilterField, value: unknown): FilterValue {
  if (value === null || value === '') return { kind: 'none' }
  const read = isDated(field) ? readDate(field, value) : readPlain(field.type, value)
  if (!read) {
    const shown = JSON.stringify(value).slice(0, 100)
    throw invalidFilter(`"${field.name}" can be compared with ${expected[field.type]}, not with ${shown}.`)
  }
  return read
}

function readPlain(type: FilterType, value: unknown): FilterValue | null {
  const isValid = {
    // PostgreSQL's text cannot hold the character NUL.
    string: () => typeof value === 'string' && !value.includes('\0'),
    number: () => typeof value === 'number' && Number.isFinite(value),
    boolean: () => typeof value === 'boolean',
    id: () => isId(value),
    date: () => false,
    day: () => false,
  }[type]()
  if (!isValid) return null
  // Checked just above.
  const known = value as string | number | boolean
  // In the form in which texts are stored (ADR 0110).
  if (typeof known === 'string') return { kind: 'one', value: composed(known) }
  return { kind: 'one', value: type === 'id' ? String(known) : known }
}

function isId(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0
  return typeof value === 'string' && /^\d{1,19}$/.test(value) && BigInt(value) <= maxId
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const instantPattern = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})$/i

function readDate({ type }: FilterField, value: unknown): FilterValue | null {
  if (typeof value !== 'string') return null
  const isDay = dayPattern.test(value)
  if (!isDay && !instantPattern.test(value)) return null
  const at = new Date(value.replace(' ', 'T'))
  // JavaScript reads February 30 as March 2: only a valid date comes back as it was written.
  const day = new Date(value.slice(0, 10))
  if (Number.isNaN(at.getTime()) || day.toISOString().slice(0, 10) !== value.slice(0, 10)) return null
  // PostgreSQL has no year 0, and cannot read a moment that a time zone shifts there or beyond 9999.
  if (value.startsWith('0000') || !/^\d{4}-(?<!0000-)/.test(at.toISOString())) return null
  if (type === 'day') return isDay ? { kind: 'one', value } : { kind: 'moment', at: at.toISOString() }
  return isDay ? { kind: 'day', day: value } : { kind: 'one', value: at.toISOString() }
}

/** The start or end of a day in the field's time zone. */
export function dayBound(field: FilterField, day: string, which: 'start' | 'end'): Sql {
  const date = which === 'start' ? sql`${day}::date` : sql`(${day}::date + 1)`
  return startOfDay(date, sql`${field.timeZone ?? 'UTC'}`)
}

/** Checks the list of an `$in` or `$nin`. */
export function requireList(field: FilterField, operator: string, list: unknown): asserts list is unknown[] {
  if (!Array.isArray(list)) throw invalidFilter(`"${operator}" of "${field.name}" needs a list of values.`)
  if (list.length > filterLimits.listValues) {
    throw invalidFilter(`"${operator}" takes at most ${filterLimits.listValues} values.`)
  }
}

/** One value as a parameter of the field's type. */
export function parameter(field: FilterField, value: FilterValue & { kind: 'one' | 'moment' }): Sql {
  if (value.kind === 'moment')
    return sql`(${value.at}::timestamptz AT TIME ZONE ${field.timeZone ?? 'UTC'}::text)::date`
  return sql`${value.value}::${sql.raw(columnTypes[field.type])}`
}

/** Several values as one parameter. */
export function listParameter(field: FilterField, values: (string | number | boolean)[]): Sql {
  return sql`${sql.val(values)}::${sql.raw(`${columnTypes[field.type]}[]`)}`
}
