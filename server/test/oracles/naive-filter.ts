import type { FieldType } from '@portico/contract/contacts'
import { earthRadiusMiles, eventFields } from '@portico/contract/filter'

export type Value = string | number | boolean | undefined

/** An event in a test: its fields by name, including those of its details. */
export type StoredEvent = Map<string, string | number | boolean>

/** A contact in a test; fields without a value are not in the map. */
export type Stored = {
  id: string
  values: Map<string, string | number | boolean>
  events?: StoredEvent[]
  place?: { latitude: number; longitude: number }
}

/** Types of the fields by name. */
export type Types = Record<string, FieldType>

const collation = new Intl.Collator('en')

/** Oracle for the compiled SQL: applies a `$match` in a slow and obvious way. */
export function matches(contact: Stored, match: unknown, types: Types, timeZone = 'UTC'): boolean {
  return Object.entries(match as object).every(([name, asked]) => {
    if (name === 'events') return hasEvents(contact, asked as Asked, timeZone)
    if (name === 'location') return isNear(contact, asked as Asked)
    if (name === '$text') return hasWords(contact, String((asked as Asked)['$search']), types)
    return matchesValues((field) => contact.values.get(field), { [name]: asked }, types, timeZone)
  })

  function hasEvents({ events = [] }: Stored, operators: Asked, zone: string): boolean {
    return Object.entries(operators).every(([operator, asked]) =>
      operator === '$not'
        ? !hasEvents(contact, asked as Asked, zone)
        : events.some((event) => matchesValues((field) => event.get(field), asked, eventFields, zone)),
    )
  }

  function matchesValues(get: (field: string) => Value, conditions: unknown, known: Types, zone: string): boolean {
    return Object.entries(conditions as object).every(([name, asked]) => {
      const branch = (one: unknown): boolean =>
        known === types ? matches(contact, one, types, zone) : matchesValues(get, one, known, zone)
      if (name === '$and') return (asked as unknown[]).every(branch)
      if (name === '$or') return (asked as unknown[]).some(branch)
      if (name === '$nor') return !(asked as unknown[]).some(branch)
      return matchesValue(get(name), asked, known[name], zone)
    })
  }
}

type Asked = Record<string, unknown>

/** Returns whether a value meets a condition. Without a type, the value has that of the operand. */
export function matchesValue(value: Value, asked: unknown, type: FieldType | undefined, timeZone: string): boolean {
  const operators = typeof asked === 'object' && asked !== null ? asked : { $eq: asked }
  return holds(value, operators as Asked, type, timeZone)
}

/** Returns the value with the type of its operand, if its own type is unknown. */
function seenAs(value: Value, asked: unknown, type: FieldType | undefined): Value {
  if (type !== undefined || value === undefined) return value
  if (typeof asked === 'number' || typeof asked === 'boolean') return typeof value === typeof asked ? value : undefined
  return String(value)
}

function typeOf(value: Value): FieldType {
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string'
}

function holds(stored: Value, operators: Asked, type: FieldType | undefined, zone: string): boolean {
  return Object.entries(operators).every(([operator, asked]) => {
    const value = ['$exists', '$not', '$in', '$nin'].includes(operator) ? stored : seenAs(stored, asked, type)
    const known = type ?? typeOf(value)
    const equalsOne = (one: unknown): boolean => {
      const seen = seenAs(stored, one, type)
      return equals(seen, one, type ?? typeOf(seen), zone)
    }
    switch (operator) {
      case '$eq':
        return equals(value, asked, known, zone)
      case '$ne':
        return !equals(value, asked, known, zone)
      case '$in':
        return (asked as unknown[]).some(equalsOne)
      case '$nin':
        return !(asked as unknown[]).some(equalsOne)
      case '$year':
      case '$month':
      case '$dayOfMonth':
      case '$hour':
      case '$dayOfWeek':
        return value !== undefined && datePart(operator, zone, String(value)) === asked
      case '$exists':
        return (value !== undefined) === asked
      case '$not':
        return !holds(value, asked as Asked, type, zone)
      case '$options':
        return true
      case '$regex':
        return (
          value !== undefined && expression(String(asked), operators['$options'] === 'i' ? 'i' : '').test(String(value))
        )
      default:
        return value !== undefined && compares(value, operator, asked, known, zone)
    }
  })
}

/**
 * Builds a regular expression that matches as in PostgreSQL: `.` is any character, including those of two UTF-16 units.
 */
function expression(pattern: string, options: string): RegExp {
  try {
    return new RegExp(pattern, `su${options}`)
  } catch {
    // Some escapes are invalid with the flag `u`.
    return new RegExp(pattern, `s${options}`)
  }
}

function equals(value: Value, asked: unknown, type: FieldType, zone: string): boolean {
  if (asked === null || asked === '') return value === undefined
  if (value === undefined) return false
  const text = textOf(asked)
  if (type === 'day') return value === dayOf(text, zone)
  if (type !== 'date') return value === asked
  return isDay(text) ? dayIn(zone, String(value)) === text : Date.parse(String(value)) === Date.parse(text)
}

function compares(value: string | number | boolean, operator: string, asked: unknown, type: FieldType, zone: string) {
  const text = textOf(asked)
  if (type === 'string') return signHolds(compareTexts(String(value), text), operator)
  if (type === 'number') return signHolds(Number(value) - Number(asked), operator)
  if (type === 'day') return signHolds(compareCodes(String(value), dayOf(text, zone)), operator)
  if (isDay(text)) return signHolds(compareCodes(dayIn(zone, String(value)), text), operator)
  return signHolds(Date.parse(String(value)) - Date.parse(text), operator)
}

/** Operands of dates are text. */
function textOf(asked: unknown): string {
  return typeof asked === 'string' ? asked : ''
}

function isDay(text: string): boolean {
  return text.length === 10
}

/** Returns the day that a field of days is compared with: for a moment, its day in the zone. */
function dayOf(text: string, zone: string): string {
  return isDay(text) ? text : dayIn(zone, text)
}

const partsOf = new Map<string, Record<string, number>>()

/** Returns the parts of a local date and time; `weekday` is 0 for Sunday. */
function dateParts(zone: string, instant: string): Record<string, number> {
  const key = `${zone} ${instant}`
  let parts = partsOf.get(key)
  if (!parts) {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
    })
    const list = format
      .formatToParts(new Date(instant))
      .map(({ type, value }): [string, number] => [type, Number(value)])
    parts = Object.fromEntries(list)
    parts['weekday'] = new Date(Date.UTC(parts['year'] ?? 0, (parts['month'] ?? 1) - 1, parts['day'])).getUTCDay()
    partsOf.set(key, parts)
  }
  return parts
}

const partNames: Record<string, string> = { $year: 'year', $month: 'month', $dayOfMonth: 'day', $hour: 'hour' }

/** Returns a part of a moment in a time zone, or of a day; `$dayOfWeek` is 1 for Sunday. */
export function datePart(operator: string, zone: string, date: string): number | undefined {
  const parts = isDay(date) ? dateParts('UTC', date) : dateParts(zone, date)
  return operator === '$dayOfWeek' ? (parts['weekday'] ?? 0) + 1 : parts[partNames[operator] ?? '']
}

/** Returns the first day of the period that a moment in a time zone, or a day, is in; weeks begin on Monday. */
export function periodStart(unit: string, zone: string, date: string): string {
  const start = new Date(`${dayIn(zone, date)}T00:00:00Z`)
  if (unit === 'week') while (start.getUTCDay() !== 1) start.setUTCDate(start.getUTCDate() - 1)
  if (unit === 'quarter') while (start.getUTCMonth() % 3 !== 0) start.setUTCMonth(start.getUTCMonth() - 1, 1)
  if (unit !== 'day' && unit !== 'week') start.setUTCDate(1)
  if (unit === 'year') start.setUTCMonth(0)
  return start.toISOString().slice(0, 10)
}

/** Returns the day (`2026-01-31`) of a moment in a time zone; a day is itself. */
export function dayIn(zone: string, instant: string): string {
  if (isDay(instant)) return instant
  const { year = 0, month = 0, day = 0 } = dateParts(zone, instant)
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** Compares texts by collation; equal ones by their bytes. */
export function compareTexts(a: string, b: string): number {
  return collation.compare(a, b) || compareCodes(a, b)
}

function compareCodes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function signHolds(difference: number, operator: string): boolean {
  return { $gt: difference > 0, $gte: difference >= 0, $lt: difference < 0, $lte: difference <= 0 }[operator] ?? false
}

/** Computes distances by the angle between vectors, a different formula than the one under test. */
function isNear({ place }: Stored, operators: Asked): boolean {
  return Object.entries(operators).every(([operator, asked]) => {
    if (operator === '$not') return !isNear({ id: '', values: new Map(), ...(place && { place }) }, asked as Asked)
    if (!place) return false
    const [[longitude, latitude], radius] = (asked as Asked)['$centerSphere'] as [[number, number], number]
    return angle(place, { latitude, longitude }) <= radius
  })
}

/** In radians. */
function angle(a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number {
  const vector = ({ latitude, longitude }: typeof a): [number, number, number] => {
    const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
    return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)]
  }
  const [p, q] = [vector(a), vector(b)]
  const chord = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])
  return 2 * Math.asin(Math.min(1, chord / 2))
}

export const radiansOf = (miles: number): number => miles / earthRadiusMiles

/** Removes accents from letters; texts other than those of the random filters have more of them. */
const plainLetters = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')

const wordsIn = (text: string): string[] =>
  plainLetters(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

function hasWords({ values }: Stored, search: string, types: Types): boolean {
  const words = [...values].flatMap(([name, value]) => (types[name] === 'string' ? wordsIn(String(value)) : []))
  return wordsIn(search).every((wanted) => words.some((word) => word.startsWith(wanted)))
}
