import { earthRadiusMiles } from '@portico/contract/filter'
import { isSameName } from '@portico/domain/names'
import {
  type Accumulator,
  type FieldKey,
  isPeriod,
  type Pipeline,
  type Term,
  unwindEvents,
} from '@portico/domain/pipeline/pipeline'
import { takeChoosing } from '@portico/domain/pipeline/search-rows'
import { fieldTerm, matching } from '@portico/domain/pipeline/terms'
import { type Condition, type EventRow, type Filter, type GroupBy, type GroupKey, isEventField } from './filter.ts'
import { numberOf } from './filter-values.ts'
import { itemsOf } from './value-list.ts'

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

/** In one form, for one term as for several. */
const joined = (terms: Term[]): Term => ({ kind: 'and', of: terms.map((term) => [term]) })

/** All stages: which contacts, their grouping, the columns shown and the order. `filterOf` is the inverse. */
export function stagesOf(filter: Filter): Pipeline {
  const { groupBy, sort, columns, predefined, advanced } = filter
  if (advanced !== null) return advanced.stages
  const which = matchStagesOf(filter)
  if (predefined !== null) return which
  if (groupBy) return [...which, ...groupStagesOf(groupBy)]
  const choices = Object.fromEntries(columns.map((name) => [name, 1]))
  return [
    ...which,
    ...(sort ? [{ kind: 'sort' as const, order: { [sort.field]: sort.order } }] : []),
    ...(columns.length > 0 ? [{ kind: 'project' as const, choices }] : []),
  ]
}

/** The stages of one row of the builder. */
export const rowStages = (row: Condition): Pipeline => matching([termOf(row)])
export const eventRowStages = (row: EventRow): Pipeline => matching([eventTermOf(row)])

const comparisons = { '!=': '$ne', '>': '$gt', '>=': '$gte', '<': '$lt', '<=': '$lte' } as const

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A condition in the filter language. */
const termOf = (condition: Condition): Term => fieldTerm(condition.field, testOf(condition))

function testOf({ type, operator, value }: Condition): unknown {
  const typed = (text: string): unknown => {
    if (type === 'number') return numberOf(text)
    return type === 'boolean' ? text === 'true' : text
  }
  switch (operator) {
    case '=':
      return typed(value)
    case 'contains':
      return { $regex: escapePattern(value), $options: 'i' }
    case 'starts':
      return { $regex: `^${escapePattern(value)}`, $options: 'i' }
    case 'ends':
      return { $regex: `${escapePattern(value)}$`, $options: 'i' }
    case 'regex':
      return { $regex: value }
    case 'in':
      return { $in: itemsOf(value).map(typed) }
    case 'nin':
      return { $nin: itemsOf(value).map(typed) }
    case '!=':
    case '>':
    case '>=':
    case '<':
    case '<=':
      return { [comparisons[operator]]: typed(value) }
  }
}

/** One event that meets several conditions: a list, as they may concern the same field (from a day, until a day). */
const eventTermOf = ({ conditions }: EventRow): Term => ({
  kind: 'event',
  condition: [joined(conditions.map(termOf))],
})

const placeTermOf = ({ distance, latitude, longitude }: NonNullable<Filter['location']>): Term =>
  fieldTerm('location', { $geoWithin: { $centerSphere: [[longitude, latitude], distance / earthRadiusMiles] } })

/** Names of the columns that a grouping returns. */
function groupColumns({ id, id2, operator, field }: GroupBy): { id: string; id2: string | null; value: string } {
  const keys = [keyName(id), ...(id2 ? [keyName(id2)] : [])]
  const plain = field === null ? operator : `${operator} of ${field}`
  const isTaken = keys.some((key) => isSameName(key, plain))
  return { id: keyName(id), id2: keys[1] ?? null, value: isTaken ? `${plain} (value)` : plain }
}

/**
 * JavaScript moves integer property names to the front, regardless of the order they were written in, and the filter
 * language reads names that begin with a dollar sign as operators.
 */
const isMisread = (name: string): boolean => /^\d+$|^\$/.test(name)

function keyName({ field, part }: GroupKey): string {
  const name = part === null ? field : isPeriod(part) ? `${field} ${part}` : `${field} (${part})`
  return isMisread(name) ? `"${name}"` : name
}

function groupStagesOf(groupBy: GroupBy): Pipeline {
  const { id, id2, operator, sortBy, sort, limit } = groupBy
  const names = groupColumns(groupBy)
  const keys = [columnOf(names.id, id), ...(id2 && names.id2 !== null ? [columnOf(names.id2, id2)] : [])]
  const readsEvents = [id.field, id2?.field ?? '', groupBy.field ?? ''].some(isEventField)
  const sorted = sortBy === 'value' ? [names.value] : keys.map(({ name }) => name)
  return [
    ...(readsEvents ? [unwindEvents] : []),
    { kind: 'group', keys, isNamed: true, values: operator === 'distinct' ? [] : [valueOf(names.value, groupBy)] },
    { kind: 'sort', order: Object.fromEntries(sorted.map((name) => [name, sort])) },
    { kind: 'limit', rows: limit },
  ]
}

const columnOf = (name: string, { field, part }: GroupKey): FieldKey => ({ kind: 'field', name, field, part })

const valueOf = (name: string, { operator, field }: GroupBy): Accumulator =>
  operator === 'count' ? { name, operator, of: {} } : { name, operator, of: `$${field ?? ''}` }
