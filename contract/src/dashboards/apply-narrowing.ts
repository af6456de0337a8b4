import { filterLimits } from '../filter-limits.ts'
import type { Stages } from '../filter.ts'
import type { DayRange } from './days.ts'
import { eventPrefix, plainName, type Row, type Selection } from './groups.ts'
import { isSameName } from '../names.ts'

/**
 * Days of a date. `condition`: what they mean for its values, where it is more than the days themselves. `keepsOwn`: they only
 * narrow what the stages themselves say about the date.
 */
type Range = { field: string; days: DayRange; condition?: Row; keepsOwn?: boolean }

/** The selections and ranges that narrow one cell: alternatives of each selection, all of which must hold, and one range a field. */
export type Narrowing = { selections: Selection[][]; ranges: Range[] }

/**
 * Narrows stages: adds the selections, and replaces what the stages themselves say about the dates of the ranges, unless these
 * keep it.
 */
export function applyNarrowing(stages: Stages, { selections, ranges }: Narrowing): Stages {
  const kept = ranges.reduce((left, { field, keepsOwn }) => (keepsOwn ? left : withoutRange(left, field)), stages)
  const wanted = [...selections, ...ranges.map((range) => [selectionOfRange(range)])]
  return wanted.length === 0 ? stages : withSelections(kept, wanted)
}

function selectionOfRange({ field, days, condition: own }: Range): Selection {
  const condition = { [plainName(field)]: own ?? { $gte: days.from, $lte: days.to } }
  return field.startsWith(eventPrefix) ? { contacts: [], events: [condition] } : { contacts: [condition], events: [] }
}

/** The conditions of a `$match`, all of which must hold. */
function partsOf(condition: Row): Row[] {
  return Object.entries(condition).flatMap(([name, value]) =>
    name === '$and' && Array.isArray(value)
      ? value.flatMap((each) => (isObject(each) ? partsOf(each) : []))
      : [{ [name]: value }],
  )
}

const orders = ['$gt', '$gte', '$lt', '$lte']

/** The condition without comparisons of this date by order; none if nothing is left of it. */
function withoutOrders(condition: Row, field: string): Row[] {
  const [entry] = Object.entries(condition)
  if (!entry || !isSameField(entry[0], field) || !isObject(entry[1])) return [condition]
  const left = Object.entries(entry[1]).filter(([operator]) => !orders.includes(operator))
  return left.length === 0 ? [] : [{ [entry[0]]: Object.fromEntries(left) }]
}

/** The stages before the first `$group`, without their own range of the field. */
function withoutRange(stages: Stages, field: string): Stages {
  const group = stages.findIndex((stage) => Object.hasOwn(stage, '$group'))
  const unwind = stages.findIndex((stage) => Object.hasOwn(stage, '$unwind'))
  return stages.flatMap((stage, at): Stages => {
    const match = stage['$match']
    if (!isObject(match) || (group !== -1 && at > group)) return [stage]
    const isOfEvents = field.startsWith(eventPrefix)
    const parts = partsOf(match).flatMap((part) => {
      if (!isOfEvents || (unwind !== -1 && at > unwind)) return withoutOrders(part, field)
      return withoutEventOrders(part, plainName(field))
    })
    return JSON.stringify(parts) === JSON.stringify(partsOf(match)) ? [stage] : matching(parts)
  })
}

/** The same within a condition on one event. */
function withoutEventOrders(part: Row, field: string): Row[] {
  const inner = elemMatchOf(part)
  if (!inner) return [part]
  const parts = partsOf(inner)
  const left = parts.flatMap((each) => withoutOrders(each, field))
  if (left.length === parts.length && JSON.stringify(left) === JSON.stringify(parts)) return [part]
  return [left.length === 0 ? hasEvents : { events: { $elemMatch: all(left) } }]
}

/** The condition on one event that a part is, where it is nothing else. */
function elemMatchOf(part: Row): Row | null {
  const events = part['events']
  if (!isObject(events) || Object.keys(events).length !== 1) return null
  return isObject(events['$elemMatch']) ? events['$elemMatch'] : null
}

/** Adds selections to stages: those of events after the first `$unwind`, or to the condition on one event. */
function withSelections(stages: Stages, wanted: Selection[][]): Stages {
  const group = stages.findIndex((stage) => Object.hasOwn(stage, '$group'))
  const unwind = stages.findIndex((stage) => Object.hasOwn(stage, '$unwind'))
  if (unwind !== -1 && (group === -1 || unwind < group)) {
    const [before, after] = [stages.slice(0, unwind + 1), stages.slice(unwind + 1)]
    const ofContacts = wanted.filter((each) => each.every(({ events }) => events.length === 0))
    const others = wanted.filter((each) => !ofContacts.includes(each))
    return [
      ...matching(ofContacts.map((each) => anyOf(each.map(({ contacts }) => all(contacts))))),
      ...before,
      ...matching(
        others.map((each) => anyOf(each.map(({ contacts, events }) => all([...contacts, ...events.map(withPrefix)])))),
      ),
      ...after,
    ]
  }
  return [
    ...ofOneEvent(stages.slice(0, group === -1 ? stages.length : group), wanted),
    ...(group === -1 ? [] : stages.slice(group)),
  ]
}

export const anyOf = (conditions: readonly Row[]): Row =>
  conditions.length === 1 && conditions[0] ? conditions[0] : { $or: conditions }

/** Conditions on events are all about the same event, and join the positive ones that the stages have already. */
function ofOneEvent(stages: Stages, wanted: Selection[][]): Stages {
  const ofContacts: Row[] = []
  const ofEvents: Row[] = []
  const mixed: Selection[][] = []
  for (const each of wanted) {
    if (each.every(({ events }) => events.length === 0))
      ofContacts.push(anyOf(each.map(({ contacts }) => all(contacts))))
    else if (each.every(({ contacts }) => contacts.length === 0))
      ofEvents.push(anyOf(each.map(({ events }) => all(events))))
    else mixed.push(each)
  }
  if (ofEvents.length === 0 && mixed.length === 0) return [...matching(ofContacts), ...stages]
  const { left, own } = takeElemMatches(stages)
  const combinations = product(mixed)
  const rows = (own.length > 0 ? own : [[]]).map((each) =>
    anyOf(
      combinations.map(({ contacts, events }) =>
        all([...contacts, { events: { $elemMatch: all([...each, ...ofEvents, ...events]) } }]),
      ),
    ),
  )
  return [...matching([...ofContacts, ...rows]), ...left]
}

/**
 * One more than the alternatives that a filter takes as a list, so that it is refused: a few thousand groups clicked in three
 * cells would fill the memory.
 */
const mostCombinations = filterLimits.listValues + 1

/** Every combination of one alternative of each, as far as a filter takes them. */
function product(selections: Selection[][]): Selection[] {
  let made: Selection[] = [{ contacts: [], events: [] }]
  for (const alternativesOfOne of selections) {
    const next: Selection[] = []
    for (const one of made) {
      for (const other of alternativesOfOne.slice(0, mostCombinations - next.length)) {
        next.push({ contacts: [...one.contacts, ...other.contacts], events: [...one.events, ...other.events] })
      }
    }
    made = next
  }
  return made
}

/** Takes the positive conditions on one event out of the stages. */
export function takeElemMatches(stages: Stages): { left: Stages; own: Row[][] } {
  const own: Row[][] = []
  const left = stages.flatMap((stage): Stages => {
    const match = stage['$match']
    if (!isObject(match)) return [stage]
    const parts = partsOf(match)
    const others = parts.filter((part) => {
      const inner = elemMatchOf(part)
      if (inner) own.push(partsOf(inner))
      return !inner
    })
    return others.length === parts.length ? [stage] : matching(others)
  })
  return { left, own }
}

export const isSameField = (one: string, other: string | undefined): boolean =>
  other !== undefined && isSameName(one, other)

/** One condition that says all of them. */
export const all = (conditions: readonly Row[]): Row =>
  conditions.length === 1 && conditions[0] ? conditions[0] : { $and: conditions }

/** Stages over events as stages over contacts with one such event. */
export function eventsToContacts(stages: Stages): Stages {
  const at = stages.findIndex((stage) => Object.hasOwn(stage, '$unwind'))
  if (at === -1) return stages
  const after = stages.slice(at + 1).flatMap((stage) => (isObject(stage['$match']) ? [stage['$match']] : []))
  const parts = after.flatMap(partsOf)
  const ofEvents = parts.filter(isAboutEvents)
  const ofContacts = parts.filter((part) => !isAboutEvents(part))
  const events = ofEvents.length > 0 ? [{ events: { $elemMatch: { $and: ofEvents.map(withoutPrefix) } } }] : []
  return [...stages.slice(0, at), ...matching([...ofContacts, ...(events.length > 0 ? events : [hasEvents])])]
}

/** Any event at all. */
const hasEvents: Row = { events: { $elemMatch: { event_code: { $exists: true } } } }

const branches = ['$and', '$or', '$nor']

/** Whether a condition names fields of events only. A condition on both is taken as one on contacts. */
function isAboutEvents(condition: Row): boolean {
  return Object.entries(condition).every(([name, value]) =>
    branches.includes(name)
      ? Array.isArray(value) && value.every((each) => isObject(each) && isAboutEvents(each))
      : name.startsWith(eventPrefix),
  )
}

function withoutPrefix(condition: Row): Row {
  return Object.fromEntries(
    Object.entries(condition).map(([name, value]) =>
      branches.includes(name) && Array.isArray(value)
        ? [name, value.map((each) => (isObject(each) ? withoutPrefix(each) : each))]
        : [plainName(name), value],
    ),
  )
}

export function withPrefix(condition: Row): Row {
  return Object.fromEntries(
    Object.entries(condition).map(([name, value]) =>
      branches.includes(name) && Array.isArray(value)
        ? [name, value.map((each) => (isObject(each) ? withPrefix(each) : each))]
        : [`${eventPrefix}${name}`, value],
    ),
  )
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

export const matching = (conditions: readonly Row[]): Stages => {
  const [only] = conditions
  if (!only) return []
  return [{ $match: conditions.length === 1 ? only : { $and: conditions } }]
}
