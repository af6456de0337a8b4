import type { FieldType } from '@portico/contract/contacts'
import { eventFields, type Stages } from '@portico/contract/filter'
import { matching } from '@portico/contract/stage-readers'
import { conditionIn, type FilterField } from '#domain/filters'
import { formatValue } from './field-value.ts'

export type Row = Record<string, unknown>

/** A key of a grouping: name of its column, field and, for dates, the part (`month`). */
export type GroupKey = { name: string; field: string; part: string | null; type: FieldType }
/**
 * `keys` and `values` are the columns; empty where the stages do more than group. `sums` are those values whose groups may
 * be added up: numbers and sums of contacts, but no averages, minima or maxima.
 */
export type Grouping = { keys: GroupKey[]; values: string[]; sums: string[] }

const parts = ['year', 'month', 'dayOfMonth', 'hour', 'dayOfWeek']
const eventPrefix = 'events.'

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

function typeOf(field: string, fields: readonly FilterField[]): FieldType {
  if (field.startsWith(eventPrefix)) {
    const name = field.slice(eventPrefix.length)
    return name in eventFields ? eventFields[name as keyof typeof eventFields] : 'string'
  }
  return fields.find(({ name }) => name.toLowerCase() === field.toLowerCase())?.type ?? 'string'
}

function keyOf(name: string, spec: unknown, fields: readonly FilterField[]): GroupKey | null {
  if (typeof spec === 'string' && spec.startsWith('$')) {
    const field = spec.slice(1)
    return { name, field, part: null, type: typeOf(field, fields) }
  }
  const [entry, ...more] = isObject(spec) ? Object.entries(spec) : []
  const part = parts.find((known) => entry?.[0] === `$${known}`)
  if (!entry || !part || more.length > 0 || typeof entry[1] !== 'string') return null
  return { name, field: entry[1].slice(1), part, type: 'date' }
}

/** The grouping of the last `$group`; null without one, or for one with unknown keys. */
export function groupingOf(stages: Stages, fields: readonly FilterField[]): Grouping | null {
  const group = stages.findLast((stage) => '$group' in stage)?.['$group']
  if (!isObject(group)) return null
  const { _id: id, ...values } = group
  const isSeveral = isObject(id) && !Object.keys(id).some((name) => name.startsWith('$'))
  const specs = id === null ? [] : isSeveral ? Object.entries(id) : ([['_id', id]] as const)
  const keys = specs.map(([name, spec]) => keyOf(name, spec, fields))
  const known = keys.filter((key) => key !== null)
  const sums = Object.keys(values).filter((name) => isSum(values[name]))
  return known.length === keys.length ? { keys: known, values: Object.keys(values), sums } : null
}

const isSum = (spec: unknown): boolean => isObject(spec) && ('$sum' in spec || '$count' in spec)

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
const monthNames = [...months, 'November', 'December']
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Text of a group's value: months and days of the week by name, years without separators. */
export function keyText(value: unknown, key: GroupKey | undefined): string {
  if (value === null || value === undefined || value === '') return '(no value)'
  if (typeof value === 'number' && key?.part) {
    if (key.part === 'month') return monthNames[value - 1] ?? String(value)
    if (key.part === 'dayOfWeek') return dayNames[value - 1] ?? String(value)
    return key.part === 'hour' ? `${value}:00` : String(value)
  }
  return formatValue(value, key?.type)
}

const dayText = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)

/** Days from and until, both included. */
function daysOf(field: string, year: number, month: number | null): Row[] {
  const from = month === null ? dayText(year, 0, 1) : dayText(year, month - 1, 1)
  // The day 0 of a month is the last of the one before.
  const until = month === null ? dayText(year, 11, 31) : dayText(year, month, 0)
  return [{ [field]: { $gte: from } }, { [field]: { $lte: until } }]
}

/** Conditions of the contacts or events in a group; null where conditions cannot express it. */
function conditionsOf(key: GroupKey, row: Row, keys: readonly GroupKey[]): Row[] | null {
  const value = row[key.name] ?? null
  const field = key.field.startsWith(eventPrefix) ? key.field.slice(eventPrefix.length) : key.field
  if (value === null) return [{ [field]: key.type === 'string' ? '' : null }]
  if (key.part === null) return [{ [field]: value }]
  const sibling = (part: string): unknown => {
    const other = keys.find((one) => one.field === key.field && one.part === part)
    return other && row[other.name]
  }
  const year = key.part === 'year' ? value : sibling('year')
  const month = key.part === 'month' ? value : sibling('month')
  if (typeof year !== 'number' || (key.part !== 'year' && key.part !== 'month')) return null
  // The key of the year covers both.
  if (key.part === 'month') return []
  return daysOf(field, year, typeof month === 'number' ? month : null)
}

/**
 * The search that finds the contacts of one group; null where conditions cannot express it. `stages` made the row,
 * without saved filters.
 */
export function contactsOfGroup(stages: Stages, grouping: Grouping, row: Row): Stages | null {
  const at = stages.findLastIndex((stage) => '$group' in stage)
  const before = stages.slice(0, at).filter((stage) => !('$unwind' in stage))
  if (before.some((stage) => conditionIn(stage) === undefined)) return null
  const ofContacts: Row[] = []
  const ofEvents: Row[] = []
  const computed: Stages = []
  for (const key of grouping.keys) {
    const isEvent = key.field.startsWith(eventPrefix)
    const conditions = conditionsOf(key, row, grouping.keys)
    if (conditions !== null) (isEvent ? ofEvents : ofContacts).push(...conditions)
    else if (isEvent || key.part === null) return null
    else {
      // No range of days says "in any May": the part is worked out for each contact.
      computed.push({ $addFields: { [key.name]: { [`$${key.part}`]: `$${key.field}` } } })
      computed.push(...matching({ [key.name]: row[key.name] }))
    }
  }
  const all = [...ofContacts, ...(ofEvents.length > 0 ? [{ events: { $elemMatch: { $and: ofEvents } } }] : [])]
  return [...before, ...(all.length > 0 ? matching({ $and: all }) : []), ...computed]
}

/** Contacts of a group whose parts of dates had to be worked out, as `contactsOfGroup` writes them; null for any other. */
export function computedPartsOf(stages: Stages): { base: Stages; parts: string[] } | null {
  const at = stages.findIndex((stage) => '$addFields' in stage)
  if (at === -1) return null
  const computed = stages.slice(at)
  const parts = computed.flatMap((stage, index) => {
    const [entry] = isObject(stage['$addFields']) ? Object.entries(stage['$addFields']) : []
    const match = conditionIn(computed[index + 1])
    const key = entry && keyOf(entry[0], entry[1], [])
    return key && isObject(match) && key.name in match ? [`${key.name} is ${keyText(match[key.name], key)}`] : []
  })
  return parts.length * 2 === computed.length ? { base: stages.slice(0, at), parts } : null
}
