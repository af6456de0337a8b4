import type { Grouping, GroupKey } from './grouping.ts'
import { isPeriod, type Term } from './pipeline.ts'
import { type GroupRow, isOfEvents, periodTerms, type Selection, selectionOf, valueTerm } from './selection.ts'
import { manyPeriodTerms, selectionsByParts } from './period-parts.ts'
import { anyOf } from './terms.ts'

/** Up to here, alternatives are written so that a reader and an index can use them: lists, and ranges of days. */
const fewAlternatives = 100

/**
 * Groups as alternatives of a selection: values of one key under the same other one are a list. Many are written so that the
 * filter language counts few conditions: "Other" of a chart sums up to 2,000 groups.
 */
export function alternatives(grouping: Grouping, rows: readonly GroupRow[]): Selection[] {
  const found = alternativesOf(grouping, rows)
  const isLong = grouping.keys.length > 1 && grouping.keys.some(isOfPeriods) && countTerms(found) > fewTerms
  if (!isLong) return found
  const { whole = [], parted = [] } = Object.groupBy(rows, (row) =>
    grouping.keys.every((_key, at) => (row[at] ?? null) !== null) ? 'whole' : 'parted',
  )
  return [
    ...whole.flatMap((row) => selectionsByParts(grouping, row)),
    ...(parted.length > 0 ? alternativesOf(grouping, parted) : []),
  ]
}

/** Up to here, periods of several groups are ranges of days; the filter language takes a thousand conditions. */
const fewTerms = 300

const isOfPeriods = ({ part }: GroupKey): boolean => isPeriod(part)
const isListed = (key: GroupKey | undefined): boolean => key?.part === null || (key !== undefined && isOfPeriods(key))

const countTerms = (selections: readonly Selection[]): number =>
  selections.reduce((sum, { contacts, events }) => sum + leavesOf([...contacts, ...events]), 0)

const leavesOf = (terms: readonly Term[]): number =>
  terms.reduce((sum, term) => sum + (term.kind === 'and' || term.kind === 'or' ? leavesOf(term.of.flat()) : 1), 0)

function alternativesOf(grouping: Grouping, rows: readonly GroupRow[]): Selection[] {
  const [first, second] = grouping.keys
  const hasLists = isListed(grouping.keys.at(-1))
  const usual = hasLists ? listed(grouping, rows, grouping.keys.length - 1) : each(grouping, rows)
  if (usual.length <= fewAlternatives || !first || !second) return usual
  if (!isListed(first) && !isListed(second)) {
    const isMixed = isOfEvents(first) !== isOfEvents(second)
    return isMixed ? listed(grouping, rows, 1) : rows.map((row) => selectionOf(grouping, row, { asParts: true }))
  }
  // A list with "no value" is no look-up of the filter language: such groups are lists of their own, one for each key.
  const parts = Object.values(
    Object.groupBy(rows, ([one, other]) => String([one ?? null, other ?? null].indexOf(null))),
  )
  return parts.flatMap((part = []) => {
    const both = [0, 1].filter((at) => isListed(grouping.keys[at])).map((at) => listed(grouping, part, at))
    return both.toSorted((one, other) => one.length - other.length)[0] ?? []
  })
}

const each = (grouping: Grouping, rows: readonly GroupRow[]): Selection[] =>
  rows.map((row) => selectionOf(grouping, row))

/** Values of the key at a place, under the same other one, as a list. */
function listed(grouping: Grouping, rows: readonly GroupRow[], at: number): Selection[] {
  const key = grouping.keys[at]
  if (!key) return each(grouping, rows)
  const others = <T>(list: readonly T[]): T[] => list.filter((_each, place) => place !== at)
  const sets = Map.groupBy(rows, (row) => JSON.stringify(others(row)))
  return [...sets.values()].map((set) => {
    const [one = []] = set
    if (set.length === 1) return selectionOf(grouping, one)
    const { contacts, events } = selectionOf({ ...grouping, keys: others(grouping.keys) }, others(one))
    const list = listOf(
      { ...grouping, keys: [key] },
      set.map((row) => row[at] ?? null),
    )
    return isOfEvents(key) ? { contacts, events: [...events, ...list] } : { contacts: [...contacts, ...list], events }
  })
}

/** Any of several values of one key. Parts of dates have no lists. */
function listOf(grouping: Grouping, values: readonly unknown[]): Term[] {
  const [key] = grouping.keys
  if (key?.part === null) return [valueTerm(key, values)]
  if (key && isPeriod(key.part)) {
    const ranges = periodTerms(key.field, key.part, values)
    return leavesOf(ranges) > fewTerms ? manyPeriodTerms(key.field, key.part, values) : ranges
  }
  const tests = values.map((value) => selectionOf(grouping, [value], { asParts: true }))
  return [anyOf(tests.flatMap(({ contacts, events }) => [...contacts, ...events]))]
}
