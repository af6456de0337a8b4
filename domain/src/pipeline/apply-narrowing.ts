import { filterLimits } from '../filter-limits.ts'
import { eventPrefix, type Pipeline, type Row, type Stage, type Term } from './pipeline.ts'
import type { Selection } from './selection.ts'
import {
  all,
  anyOf,
  fieldTerm,
  flatten,
  isAboutEvents,
  matching,
  plainName,
  withoutOrders,
  withoutPrefix,
  withPrefix,
} from './terms.ts'

/**
 * Days of a date. `condition`: what they mean for its values, where it is more than the days themselves. `keepsOwn`: they only
 * narrow what the stages themselves say about the date.
 */
type Range = { field: string; days: { from: string; to: string }; condition?: Row; keepsOwn?: boolean }

/** The selections and ranges that narrow one cell: alternatives of each selection, all of which must hold, and one range a field. */
export type Narrowing = { selections: Selection[][]; ranges: Range[] }

/**
 * Narrows stages: adds the selections, and replaces what the stages themselves say about the dates of the ranges, unless these
 * keep it.
 */
export function applyNarrowing(stages: Pipeline, { selections, ranges }: Narrowing): Pipeline {
  const kept = ranges.reduce((left, { field, keepsOwn }) => (keepsOwn ? left : withoutRange(left, field)), stages)
  const wanted = [...selections, ...ranges.map((range) => [selectionOfRange(range)])]
  return wanted.length === 0 ? stages : withSelections(kept, wanted)
}

function selectionOfRange({ field, days, condition: own }: Range): Selection {
  const term = fieldTerm(plainName(field), own ?? { $gte: days.from, $lte: days.to })
  return field.startsWith(eventPrefix) ? { contacts: [], events: [term] } : { contacts: [term], events: [] }
}

const placeOf = (stages: Pipeline, kind: Stage['kind']): number => stages.findIndex((stage) => stage.kind === kind)

/** The stages before the first group, without their own range of the field. */
function withoutRange(stages: Pipeline, field: string): Pipeline {
  const [group, unwind] = [placeOf(stages, 'group'), placeOf(stages, 'unwind')]
  const isOfEvents = field.startsWith(eventPrefix)
  return stages.flatMap((stage, at): Stage[] => {
    if (stage.kind !== 'match' || (group !== -1 && at > group)) return [stage]
    const terms = flatten(stage.condition)
    const isOnRows = !isOfEvents || (unwind !== -1 && at > unwind)
    const left = terms.flatMap((term) =>
      isOnRows ? withoutOrders(term, field) : withoutEventOrders(term, plainName(field)),
    )
    return isSameList(left, terms) ? [stage] : matching(left)
  })
}

const isSameList = (one: readonly Term[], other: readonly Term[]): boolean =>
  one.length === other.length && one.every((term, at) => term === other[at])

/** The same within a condition on one event. */
function withoutEventOrders(term: Term, field: string): Term[] {
  if (term.kind !== 'event') return [term]
  const terms = flatten(term.condition)
  const left = terms.flatMap((each) => withoutOrders(each, field))
  if (isSameList(left, terms)) return [term]
  return [left.length === 0 ? hasEvents : { kind: 'event', condition: [all(left)] }]
}

/** Adds selections to stages: those of events after the first unwinding, or to the condition on one event. */
function withSelections(stages: Pipeline, wanted: Selection[][]): Pipeline {
  const [group, unwind] = [placeOf(stages, 'group'), placeOf(stages, 'unwind')]
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

/** Terms on events are all about the same event, and join the positive ones that the stages have already. */
function ofOneEvent(stages: Pipeline, wanted: Selection[][]): Pipeline {
  const ofContacts: Term[] = []
  const ofEvents: Term[] = []
  const mixed: Selection[][] = []
  for (const each of wanted) {
    if (each.every(({ events }) => events.length === 0))
      ofContacts.push(anyOf(each.map(({ contacts }) => all(contacts))))
    else if (each.every(({ contacts }) => contacts.length === 0))
      ofEvents.push(anyOf(each.map(({ events }) => all(events))))
    else mixed.push(each)
  }
  if (ofEvents.length === 0 && mixed.length === 0) return [...matching(ofContacts), ...stages]
  const { left, own } = takeEventTerms(stages)
  const combinations = product(mixed)
  const rows = (own.length > 0 ? own : [[]]).map((each) =>
    anyOf(
      combinations.map(({ contacts, events }) =>
        all([...contacts, { kind: 'event', condition: [all([...each, ...ofEvents, ...events])] }]),
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

/** Takes the positive terms on one event out of the stages. */
export function takeEventTerms(stages: Pipeline): { left: Pipeline; own: Term[][] } {
  const own: Term[][] = []
  const left = stages.flatMap((stage): Stage[] => {
    if (stage.kind !== 'match') return [stage]
    const terms = flatten(stage.condition)
    const others = terms.filter((term) => term.kind !== 'event')
    own.push(...terms.flatMap((term) => (term.kind === 'event' ? [flatten(term.condition)] : [])))
    return others.length === terms.length ? [stage] : matching(others)
  })
  return { left, own }
}

/** Stages over events as stages over contacts with one such event. */
export function eventsToContacts(stages: Pipeline): Pipeline {
  const at = placeOf(stages, 'unwind')
  if (at === -1) return stages
  const terms = stages.slice(at + 1).flatMap((stage) => (stage.kind === 'match' ? flatten(stage.condition) : []))
  const ofEvents = terms.filter(isAboutEvents)
  const ofContacts = terms.filter((term) => !isAboutEvents(term))
  const branches = ofEvents.map((term) => [withoutPrefix(term)])
  const event: Term = branches.length > 0 ? { kind: 'event', condition: [{ kind: 'and', of: branches }] } : hasEvents
  return [...stages.slice(0, at), ...matching([...ofContacts, event])]
}

/** Any event at all. */
const hasEvents: Term = { kind: 'event', condition: [fieldTerm('event_code', { $exists: true })] }
