import type { FieldType } from '@portico/contract/contacts'
import { filterLimits } from '@portico/contract/filter'
import {
  conditionsIn,
  type DrawnCell,
  fieldIn,
  groupKinds,
  innerOf,
  isOfEvents,
  keysIn,
  periodIn,
  rangesFor,
  stagesIn,
  withoutOwnDates,
  type World,
} from './naive-dashboard.ts'
import type { Types } from './naive-filter.ts'

type Asked = Record<string, unknown>
type Row = readonly unknown[]
/** The number of conditions on contacts, and on one of their events. */
type Size = { contacts: number; events: number }

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

/**
 * Counts values that are compared separately: null, days among moments, and moments among days. Others are one
 * condition.
 */
function countInList(values: readonly unknown[], type: FieldType | undefined): number {
  const isOther = (value: unknown): boolean => {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(String(value))
    return (type === 'date' && isDay) || (type === 'day' && !isDay)
  }
  const single = values.filter((value) => value === null || value === '' || isOther(value)).length
  return single + (single < values.length ? 1 : 0)
}

function countOfField(asked: unknown, type: FieldType | undefined, types: Types): number {
  if (typeof asked !== 'object' || asked === null) return 1
  return sum(
    Object.entries(asked).map(([operator, value]) => {
      if (operator === '$options') return 0
      if (operator === '$not') return countOfField(value, type, types)
      if (operator === '$in' || operator === '$nin') return countInList(value as unknown[], type)
      return operator === '$elemMatch' ? 1 + countOfMatch(value as Asked, types) : 1
    }),
  )
}

function countOfMatch(match: Asked, types: Types): number {
  return sum(
    Object.entries(match).map(([name, asked]) => {
      if (['$and', '$or', '$nor'].includes(name))
        return sum((asked as Asked[]).map((each) => countOfMatch(each, types)))
      return countOfField(asked, name.endsWith('event_date') ? 'date' : types[name], types)
    }),
  )
}

/** The conditions that find one group; a year and its month are two days, and so is a period. */
function sizeOfRow(keys: readonly unknown[], row: Row): Size {
  const size: Size = { contacts: 0, events: 0 }
  const partOf = (key: unknown, part: string): unknown => (key as Asked | undefined)?.[part]
  keys.forEach((key, at) => {
    const field = fieldIn(key)
    const valueOf = (part: string): unknown => row[keys.findIndex((one) => partOf(one, part) === `$${field}`)]
    const isKnown = typeof key === 'object' && row[at] !== null && row[at] !== undefined
    const hasYear = isKnown && typeof valueOf('$year') === 'number'
    const isPeriod = isKnown && periodIn(key) !== undefined
    const count = isPeriod ? 2 : hasYear && partOf(key, '$year') ? 2 : hasYear && partOf(key, '$month') ? 0 : 1
    size[isOfEvents(field) ? 'events' : 'contacts'] += count
  })
  return size
}

/** Counts the conditions of each alternative. Groups that differ only in their last key are one, with a list. */
function sizesOf(keys: readonly unknown[], rows: readonly Row[], types: Types): Size[] {
  const last = keys.at(-1)
  if (typeof last !== 'string') return rows.map((row) => sizeOfRow(keys, row))
  const sets = Map.groupBy(rows, (row) => JSON.stringify(row.slice(0, keys.length - 1)))
  return [...sets.values()].map((set) => {
    const [first = []] = set
    if (set.length === 1) return sizeOfRow(keys, first)
    const size = sizeOfRow(keys.slice(0, -1), first)
    const values = set.map((row) => row[keys.length - 1] ?? null)
    const field = fieldIn(last)
    size[isOfEvents(field) ? 'events' : 'contacts'] += countInList(values, types[field])
    return size
  })
}

/** Returns the alternatives of each selection that narrows a cell: groups, values of dropdowns, and days. */
function selectionsFor(cell: DrawnCell, world: World): Size[][] {
  const { clicks, choices } = world.choices
  const keysAt = (id: string): { type: string; keys: unknown[] } => {
    const chart = id === cell.id ? undefined : world.cells.find((each) => each.id === id)?.chart
    const keys = chart?.filter ? keysIn(stagesIn(chart.filter, world)).map(([, key]) => key) : []
    return { type: chart?.type ?? '', keys }
  }
  const takesClicks = cell.chart.type !== 'Dropdown' && cell.chart.portico?.ignoresClicks !== true
  const clicked = clicks.flatMap(({ cell: id, keys: rows }) => {
    const { type, keys } = keysAt(id)
    return takesClicks && groupKinds.includes(type) && keys.length > 0 ? [sizesOf(keys, rows, world.types)] : []
  })
  const chosen = choices.flatMap(({ cell: id, include, exclude }) => {
    const { type, keys } = keysAt(id)
    if (type !== 'Dropdown' || keys.length === 0) return []
    const sizes = (values: readonly unknown[]): Size[] =>
      sizesOf(
        keys.slice(0, 1),
        values.map((value) => [value]),
        world.types,
      )
    // Excluded values are one alternative.
    return [sizes(include), [total(sizes(exclude))]].filter(([one]) => one && one.contacts + one.events > 0)
  })
  const days = rangesFor(cell, world).map(({ field }) => [
    isOfEvents(field) ? { contacts: 0, events: 2 } : { contacts: 2, events: 0 },
  ])
  return [...clicked, ...chosen, ...days]
}

const total = (sizes: readonly Size[]): Size => ({
  contacts: sum(sizes.map(({ contacts }) => contacts)),
  events: sum(sizes.map(({ events }) => events)),
})

/** Returns the sizes of all combinations of one alternative each, except those larger than a filter may be. */
function combined(selections: Size[][]): Size[] {
  let made: Size[] = [{ contacts: 0, events: 0 }]
  for (const alternatives of selections) {
    made = made.flatMap((one) => alternatives.map((other) => total([one, other]))).slice(0, filterLimits.conditions + 1)
  }
  return made
}

/** Counts the conditions of a cell's stages once they are narrowed. */
function countNarrowed(cell: DrawnCell, stages: Asked[], world: World): number {
  const selections = selectionsFor(cell, world)
  const groupAt = stages.findIndex((stage) => '$group' in stage)
  const [head, tail] = groupAt === -1 ? [stages, []] : [stages.slice(0, groupAt), stages.slice(groupAt)]
  const ofTail = sum(tail.map((stage) => countOfMatch((stage['$match'] ?? {}) as Asked, world.types)))
  const matchesIn = (some: Asked[]): Asked[] =>
    withoutOwnDates(conditionsIn(some.filter((stage) => '$match' in stage)), rangesFor(cell, world))
  const count = (conditions: Asked[]): number => sum(conditions.map((each) => countOfMatch(each, world.types)))
  const unwindAt = head.findIndex((stage) => '$unwind' in stage)
  const all = total(selections.flat())
  if (unwindAt !== -1) {
    const own = [...matchesIn(head.slice(0, unwindAt)), ...matchesIn(head.slice(unwindAt))]
    return ofTail + count(own) + countOfBare(own) + all.contacts + all.events
  }
  const own = matchesIn(head)
  const ofEvents = selections.filter((each) => each.some(({ events }) => events > 0))
  if (ofEvents.length === 0) return ofTail + count(own) + countOfBare(own) + all.contacts
  const ofContacts = total(selections.filter((each) => !ofEvents.includes(each)).flat()).contacts
  const mixed = ofEvents.filter((each) => each.some(({ contacts }) => contacts > 0))
  const plain = total(ofEvents.filter((each) => !mixed.includes(each)).flat()).events
  const inners = own.flatMap((each) => {
    const inner = innerOf(each)
    return inner ? [Math.max(1, count(inner))] : []
  })
  const combinations = combined(mixed)
  // Each condition on one event is combined with every selection, in every combination.
  const joined = (inners.length > 0 ? inners : [0]).map((inner) =>
    sum(combinations.map(({ contacts, events }) => contacts + 1 + inner + plain + events)),
  )
  return ofTail + count(own.filter((each) => innerOf(each) === null)) + ofContacts + sum(joined)
}

/** An event condition whose parts have all been removed matches any event. */
const countOfBare = (own: Asked[]): number => own.filter((each) => innerOf(each)?.length === 0).length

/**
 * Returns whether a cell, once narrowed, may have more conditions than a filter allows: each group separately, although
 * the portal saves some. `search`: in the values of a dropdown.
 */
export function exceedsConditions(cell: DrawnCell, world: World, search: string): boolean {
  const { type, filter, filter2 } = cell.chart
  const ofSearch = type === 'Dropdown' && search.trim() !== '' ? 1 : 0
  const counts = [filter, filter2].map((each) => (each ? countNarrowed(cell, stagesIn(each, world), world) : 0))
  return Math.max(...counts) + ofSearch > filterLimits.conditions
}
