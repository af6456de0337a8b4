import { earthRadiusMiles, type Stages } from '@portico/contract/filter'
import { isSameName } from '@portico/contract/names'
import { type Condition, type EventRow, type Filter, type GroupBy, type GroupKey, isEventField } from './filter.ts'
import { itemsOf } from './filter-values.ts'

/** The stages that choose contacts: for `find`, exports, deletes and saved filters. */
export function matchStagesOf(filter: Filter): Stages {
  if (filter.advanced !== null) return whichOf(filter.advanced.stages)
  if (filter.predefined !== null) return [{ $predefined: filter.predefined }]
  const parts: Record<string, unknown>[] = [
    ...filter.standard.map(matchOf),
    ...filter.behavioral.map(eventMatchOf),
    ...(filter.location ? [placeMatchOf(filter.location)] : []),
    ...(filter.fullText ? [{ $text: { $search: filter.fullText } }] : []),
  ]
  return parts.length === 0 ? [] : [{ $match: { $and: parts } }]
}

/** All stages: which contacts, how they are grouped, what is shown and in which order. `filterOf` is the way back. */
export function stagesOf(filter: Filter): Stages {
  const { groupBy, sort, columns, predefined, advanced } = filter
  if (advanced !== null) return advanced.stages
  const which = matchStagesOf(filter)
  if (predefined !== null) return which
  if (groupBy) return [...which, ...groupStagesOf(groupBy)]
  return [
    ...which,
    ...(sort ? [{ $sort: { [sort.field]: sort.order } }] : []),
    ...(columns.length > 0 ? [{ $project: Object.fromEntries(columns.map((name) => [name, 1])) }] : []),
  ]
}

/** The first stages, as far as they do nothing but match: what follows works on what they find. */
function whichOf(stages: Stages): Stages {
  const end = stages.findIndex((stage) => !('$match' in stage) && !('$predefined' in stage))
  return end === -1 ? stages : stages.slice(0, end)
}

const comparisons = { '!=': '$ne', '>': '$gt', '>=': '$gte', '<': '$lt', '<=': '$lte' } as const

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A condition in the filter language. */
export const matchOf = (condition: Condition): Record<string, unknown> => ({ [condition.field]: testOf(condition) })

function testOf({ type, operator, value }: Condition): unknown {
  const typed = (text: string): unknown => {
    if (type === 'number') return Number(text)
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

/** One event that meets several conditions. They may ask for the same field (from a day, until a day), so they are a list. */
export const eventMatchOf = ({ conditions }: EventRow): Record<string, unknown> => ({
  events: { $elemMatch: { $and: conditions.map(matchOf) } },
})

const placeMatchOf = ({ distance, latitude, longitude }: NonNullable<Filter['location']>): Record<string, unknown> => ({
  location: { $geoWithin: { $centerSphere: [[longitude, latitude], distance / earthRadiusMiles] } },
})

/** Names of the columns that a grouping answers. */
function groupColumns({ id, id2, operator, field }: GroupBy): { id: string; id2: string | null; value: string } {
  const keys = [keyName(id), ...(id2 ? [keyName(id2)] : [])]
  const plain = field === null ? operator : `${operator} of ${field}`
  const isTaken = keys.some((key) => isSameName(key, plain))
  return { id: keyName(id), id2: keys[1] ?? null, value: isTaken ? `${plain} (value)` : plain }
}

/** JavaScript puts properties that are whole numbers first, whatever the order they were written in. */
const isWholeNumber = (name: string): boolean => /^\d+$/.test(name)

function keyName({ field, part }: GroupKey): string {
  if (part !== null) return `${field} (${part})`
  return isWholeNumber(field) ? `"${field}"` : field
}

function groupStagesOf(groupBy: GroupBy): Stages {
  const { id, id2, sortBy, sort, limit } = groupBy
  const names = groupColumns(groupBy)
  const keys = { [names.id]: keyOf(id), ...(id2 && names.id2 !== null && { [names.id2]: keyOf(id2) }) }
  const readsEvents = [id.field, id2?.field ?? '', groupBy.field ?? ''].some(isEventField)
  const sorted = sortBy === 'value' ? [names.value] : Object.keys(keys)
  return [
    ...(readsEvents ? [{ $unwind: '$events' }] : []),
    { $group: { _id: keys, ...(groupBy.operator !== 'distinct' && { [names.value]: accumulatorOf(groupBy) }) } },
    { $sort: Object.fromEntries(sorted.map((name) => [name, sort])) },
    { $limit: limit },
  ]
}

const keyOf = ({ field, part }: GroupKey): unknown => (part === null ? `$${field}` : { [`$${part}`]: `$${field}` })

function accumulatorOf({ operator, field }: GroupBy): Record<string, unknown> {
  return operator === 'count' ? { $count: {} } : { [`$${operator}`]: `$${field ?? ''}` }
}
