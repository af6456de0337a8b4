import { earthRadiusMiles } from '@portico/contract/filter'
import type { Pipeline, Term } from '@portico/domain/pipeline/pipeline'
import { takeChoosing } from '@portico/domain/pipeline/search-rows'
import { fieldTerm, matching } from '@portico/domain/pipeline/terms'
import { type Condition, type EventCondition, eventFieldName, type EventRow, type Filter } from './filter.ts'
import { groupStagesOf } from './group-stages.ts'
import { joined, termOf } from './term-of.ts'

/** The stages that choose contacts: for `find`, exports, deletes and saved filters. */
export function matchStagesOf(filter: Filter): Pipeline {
  if (filter.advanced !== null) return takeChoosing(filter.advanced.stages)
  if (filter.predefined !== null) return [{ kind: 'saved', id: filter.predefined }]
  const terms: Term[] = [
    ...filter.standard.map(termOf),
    ...filter.behavioral.map(eventTermOf),
    ...(filter.location ? [placeTermOf(filter.location)] : []),
    ...(filter.fullText ? [{ kind: 'words' as const, of: { $search: filter.fullText } }] : []),
  ]
  return terms.length === 0 ? [] : [{ kind: 'match', condition: [joined(terms)] }]
}

/** All stages: which contacts, their grouping, the columns shown and the order. `filterOf` is the inverse. */
export function stagesOf(filter: Filter): Pipeline {
  const { groupBy, sort, columns, predefined, advanced } = filter
  if (advanced !== null) return advanced.stages
  const which = matchStagesOf(filter)
  if (predefined !== null) return which
  if (groupBy) return [...which, ...groupStagesOf(groupBy, eventStagesOf(groupBy.events))]
  const choices = Object.fromEntries(columns.map((name) => [name, 1]))
  return [
    ...which,
    ...(sort ? [{ kind: 'sort' as const, order: { [sort.field]: sort.order } }] : []),
    ...(columns.length > 0 ? [{ kind: 'project' as const, choices }] : []),
  ]
}

/** The stages that choose among rows of events. */
const eventStagesOf = (events: readonly EventCondition[]): Pipeline =>
  events.length === 0
    ? []
    : matching([joined(events.map((one) => termOf({ ...one, field: eventFieldName(one.field) })))])

/** The stages of one row of the builder. */
export const rowStages = (row: Condition): Pipeline => matching([termOf(row)])
export const eventRowStages = (row: EventRow): Pipeline => matching([eventTermOf(row)])

/** One event that meets several conditions: a list, as they may concern the same field (from a day, until a day). */
const eventTermOf = ({ conditions }: EventRow): Term => ({
  kind: 'event',
  condition: [joined(conditions.map(termOf))],
})

const placeTermOf = ({ distance, latitude, longitude }: NonNullable<Filter['location']>): Term =>
  fieldTerm('location', { $geoWithin: { $centerSphere: [[longitude, latitude], distance / earthRadiusMiles] } })
