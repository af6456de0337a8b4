import { isSameName } from '@portico/domain/names'
import {
  type Accumulator,
  type FieldKey,
  isPeriod,
  type Pipeline,
  unwindEvents,
} from '@portico/domain/pipeline/pipeline'
import { type GroupBy, type GroupKey, isEventField, type Measure } from './filter.ts'

/** Whether a grouping reads fields of events, so that its rows are events. */
export const readsEvents = ({
  id,
  id2,
  measures,
  events,
}: Pick<GroupBy, 'id' | 'id2' | 'measures' | 'events'>): boolean =>
  events.length > 0 || [id, id2, ...measures].some((part) => isEventField(part?.field ?? ''))

/**
 * JavaScript moves integer property names to the front, regardless of the order they were written in, and the filter
 * language reads names that begin with a dollar sign as operators.
 */
const readable = (name: string): string => (/^\d+$|^\$/.test(name) ? `"${name}"` : name)

/** The name of a key's column. */
export function keyName({ field, part, name }: GroupKey): string {
  if (name !== undefined) return readable(name)
  return readable(part === null ? field : isPeriod(part) ? `${field} ${part}` : `${field} (${part})`)
}

/** The usual names of the columns of a grouping's measures, in their order. */
export function measureNames({ id, id2, measures }: Pick<GroupBy, 'id' | 'id2' | 'measures'>): string[] {
  const keys = [keyName(id), ...(id2 ? [keyName(id2)] : [])]
  return measures.map(({ operator, field }) => {
    const plain = field === null ? operator : `${operator === 'size' ? 'different values' : operator} of ${field}`
    return keys.some((key) => isSameName(key, plain)) ? `${plain} (value)` : plain
  })
}

/** Stages of a grouping; `chosen` choose among its rows of events. */
export function groupStagesOf(groupBy: GroupBy, chosen: Pipeline): Pipeline {
  const { id, id2, sortBy, sort, limit } = groupBy
  const keys = [id, ...(id2 ? [id2] : [])].map(columnOf)
  const usual = measureNames(groupBy)
  const values = groupBy.measures.map((measure, index) => valueOf(measure, usual[index] ?? ''))
  const sorted = sortBy === 'id' ? keys : sortBy === null ? [] : values.slice(sortBy, sortBy + 1)
  return [
    ...(groupBy.isOfEvents || readsEvents(groupBy) ? [unwindEvents, ...chosen] : []),
    { kind: 'group', keys, isNamed: true, values },
    ...(sorted.length > 0
      ? [{ kind: 'sort' as const, order: Object.fromEntries(sorted.map(({ name }) => [name, sort])) }]
      : []),
    ...(limit === null ? [] : [{ kind: 'limit' as const, rows: limit }]),
  ]
}

const columnOf = (key: GroupKey): FieldKey => ({ kind: 'field', name: keyName(key), field: key.field, part: key.part })

function valueOf({ operator, field, name: chosen }: Measure, usual: string): Accumulator {
  const name = chosen === undefined ? usual : readable(chosen)
  if (operator === 'count') return { name, operator, of: {} }
  const path = `$${field ?? ''}`
  return { name, operator, of: operator === 'size' ? { $addToSet: path } : path }
}
