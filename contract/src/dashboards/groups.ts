import type { Field, FieldType } from '../contacts.ts'
import { eventFields, findEventField } from '../event-fields.ts'
import { internalFields, isDateType } from '../field-types.ts'
import type { Stages } from '../filter.ts'
import { findByName, isSameName } from '../names.ts'

export type Row = Record<string, unknown>

/** Parts of dates, as expressions and conditions name them after a `$`. */
export const dateParts = ['year', 'month', 'dayOfMonth', 'hour', 'dayOfWeek'] as const
export type DatePart = (typeof dateParts)[number]

/** A key of a grouping: the name of its column, its field and, for dates, the part (`month`). */
export type GroupKey = { name: string; field: string; part: DatePart | null; type: FieldType }

/**
 * `keys` and `values` are the columns of the rows. `sums` are those values whose groups may be added up: numbers and sums
 * of contacts, but no averages, minima or maxima.
 */
export type Grouping = { keys: GroupKey[]; values: string[]; sums: string[] }

/** Fields of contacts, as the catalogue of the account lists them. */
export type KnownField = Pick<Field, 'name' | 'type'>

export const eventPrefix = 'events.'

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The type of a field of contacts, or of events (`events.event_date`); null for one that the account lacks. */
export function typeOf(field: string, fields: readonly KnownField[]): FieldType | null {
  if (field.startsWith(eventPrefix)) {
    const name = findEventField(field.slice(eventPrefix.length))
    return name ? eventFields[name] : 'string'
  }
  return findByName([...fields, ...internalFields], ({ name }) => name)(field)?.type ?? null
}

function keyOf(name: string, spec: unknown, fields: readonly KnownField[]): GroupKey | null {
  if (typeof spec === 'string') {
    const type = spec.startsWith('$') ? typeOf(spec.slice(1), fields) : null
    return type && { name, field: spec.slice(1), part: null, type }
  }
  const [entry, ...more] = isObject(spec) ? Object.entries(spec) : []
  const part = dateParts.find((known) => entry?.[0] === `$${known}`)
  if (!entry || !part || more.length > 0 || typeof entry[1] !== 'string' || !entry[1].startsWith('$')) return null
  const field = entry[1].slice(1)
  const type = typeOf(field, fields)
  return isDateType(type) ? { name, field, part, type } : null
}

/**
 * The grouping of the last `$group`. Null without one, or for keys that are neither fields nor parts of dates: those of
 * stages that compute fields before they group.
 */
export function groupingOf(stages: Stages, fields: readonly KnownField[]): Grouping | null {
  const at = stages.findLastIndex((stage) => Object.hasOwn(stage, '$group'))
  const group = stages[at]?.['$group']
  if (!isObject(group) || !('_id' in group) || !stages.slice(0, at).every(selects)) return null
  const { _id: id, ...values } = group
  const isNamed = isObject(id) && !Object.keys(id).some((name) => name.startsWith('$'))
  const specs = id === null ? [] : isNamed ? Object.entries(id) : ([['_id', id]] as const)
  const keys = specs.map(([name, spec]) => keyOf(name, spec, fields))
  const known = keys.filter((key) => key !== null)
  if (known.length < keys.length || stages.slice(at + 1).some((stage) => computesOneOf(stage, known))) return null
  return { keys: known, values: Object.keys(values), sums: Object.keys(values).filter((name) => isSum(values[name])) }
}

/** Whether a stage after the group replaces one of its keys by a value of its own. */
function computesOneOf(stage: Row, keys: readonly GroupKey[]): boolean {
  const computed = { ...asRow(stage['$addFields']), ...asRow(stage['$project']) }
  const isChoice = (value: unknown): boolean => [0, 1, true, false].includes(value as never)
  const names = Object.keys(computed).filter((name) => !isChoice(computed[name]))
  return names.some((name) => keys.some((key) => isSameName(key.name, name)))
}

const asRow = (value: unknown): Row => (isObject(value) ? value : {})

const isSum = (spec: unknown): boolean => isObject(spec) && ('$sum' in spec || '$count' in spec)

/** Stages that select contacts or their events, and compute nothing. */
const selects = (stage: Row): boolean =>
  ['$match', '$unwind', '$predefined'].some((operator) => Object.hasOwn(stage, operator))

/** Conditions on contacts, and those on one event of theirs. */
export type Selection = { contacts: Row[]; events: Row[] }

/** The contacts or events in one group, or in any of several. `keys` of each row are in the order of the grouping. */
export type GroupRow = readonly unknown[]

/** The selection of one group, by the values of its keys. `asParts`: of dates, instead of ranges of days. */
export function selectionOf({ keys }: Grouping, row: GroupRow, { asParts = false } = {}): Selection {
  const selection: Selection = { contacts: [], events: [] }
  keys.forEach((key, at) => {
    const isEvent = isOfEvents(key)
    const conditions = conditionsOf(key, at, { keys, row, asParts })
    ;(isEvent ? selection.events : selection.contacts).push(...conditions)
  })
  return selection
}

export const isOfEvents = ({ field }: Pick<GroupKey, 'field'>): boolean => field.startsWith(eventPrefix)

/** The name of a field of events within a condition on one event, and of any other field. */
export const plainName = (field: string): string =>
  field.startsWith(eventPrefix) ? field.slice(eventPrefix.length) : field

type Around = { keys: GroupKey[]; row: GroupRow; asParts: boolean }

function conditionsOf(key: GroupKey, at: number, { keys, row, asParts }: Around): Row[] {
  const value = row[at] ?? null
  const field = plainName(key.field)
  if (value === null || key.part === null) return [{ [field]: value }]
  const test = { [field]: { [`$${key.part}`]: value } }
  if (asParts) return [test]
  const partOf = (part: DatePart): unknown => row[keys.findIndex((one) => one.field === key.field && one.part === part)]
  const [year, month] = [partOf('year'), partOf('month')]
  if (isWhole(year, 1, 9999) && (month === undefined || month === null || isWhole(month, 1, 12))) {
    // The key of the year covers both.
    if (key.part === 'month') return []
    if (key.part === 'year') return [daysOf(field, year, month ?? null)]
  }
  return [test]
}

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

const dayText = (year: number, month: number, day: number): string => {
  const date = new Date(Date.UTC(2000, month, day))
  date.setUTCFullYear(year, month, day)
  return date.toISOString().slice(0, 10)
}

/** The days of a year or month, both ends included. An index on the date finds them. */
function daysOf(field: string, year: number, month: number | null): Row {
  const from = month === null ? dayText(year, 0, 1) : dayText(year, month - 1, 1)
  // Day 0 of a month is the last of the one before.
  const until = month === null ? dayText(year, 11, 31) : dayText(year, month, 0)
  return { [field]: { $gte: from, $lte: until } }
}
