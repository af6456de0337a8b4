import { isSameName } from '@portico/domain/names'
import {
  type Accumulator,
  type Computation,
  type FieldKey,
  isPeriod,
  type Pipeline,
  unwindEvents,
} from '@portico/domain/pipeline/pipeline'
import { type Condition, type Figure, type GroupBy, type GroupKey, isEventField, type Measure } from './filter.ts'
import { joined, termOf } from './term-of.ts'

type Named = { field: string | null }
type Reading = Named & { conditions?: readonly Named[] }

type Parts = {
  id: Named | null
  id2: Named | null
  measures: readonly (Reading & { divisor?: Reading | null })[]
  events: readonly unknown[]
}

/** Whether a grouping reads fields of events, so that its rows are events. */
export const readsEvents = ({ id, id2, measures, events }: Parts): boolean =>
  events.length > 0 || [id, id2, ...measures.flatMap(namedIn)].some((part) => isEventField(part?.field ?? ''))

const namedIn = ({ divisor, ...one }: Parts['measures'][number]): Named[] =>
  [one, ...(divisor ? [divisor] : [])].flatMap((figure) => [figure, ...(figure.conditions ?? [])])

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
  return measures.map(({ divisor, ...dividend }) => {
    const plain = [dividend, ...(divisor ? [divisor] : [])].map(figureName).join(' / ')
    return keys.some((key) => isSameName(key, plain)) ? `${plain} (value)` : plain
  })
}

const mostInName = 60

/** 'sum of Price where Opt-in = true'. */
function figureName({ operator, field, conditions = [] }: Figure): string {
  const plain = field === null ? operator : `${operator === 'size' ? 'different values' : operator} of ${field}`
  const test = conditions.map(conditionName).join(' and ')
  return test === '' ? plain : `${plain} where ${test.length > mostInName ? `${test.slice(0, mostInName)}…` : test}`
}

function conditionName({ field, operator, value }: Condition): string {
  const isValueless = operator === 'filled' || operator === 'empty'
  return isValueless
    ? `${field} has ${operator === 'filled' ? 'a' : 'no'} value`
    : `${field} ${operator} ${value}`.trimEnd()
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

function valueOf({ name: chosen, divisor, ...figure }: Measure, usual: string): Accumulator {
  const name = chosen === undefined ? usual : readable(chosen)
  if (!divisor) return { name, ...computationOf(figure) }
  return { name, operator: 'divide', of: null, ratio: [computationOf(figure), computationOf(divisor)] }
}

function computationOf({ operator, field, conditions = [] }: Figure): Computation {
  const where = conditions.length > 0 && { where: [joined(conditions.map(termOf))] }
  // The number of those that meet a condition is the sum of a one for each.
  if (operator === 'count') return where ? { operator: 'sum', of: 1, ...where } : { operator, of: {} }
  const path = `$${field ?? ''}`
  return { operator, of: operator === 'size' ? { $addToSet: path } : path, ...where }
}
