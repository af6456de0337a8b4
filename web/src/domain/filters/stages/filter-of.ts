import type { FieldType } from '@portico/contract/contacts'
import { earthRadiusMiles, type Stages } from '@portico/contract/filter'
import { findByName } from '@portico/contract/names'
import {
  behavioralFields,
  type Condition,
  type DatePart,
  dateParts,
  emptyFilter,
  type EventCondition,
  type EventRow,
  type Filter,
  type FilterField,
  type GroupBy,
  type GroupKey,
  groupLimits,
  groupOperators,
  type Operator,
  type Place,
} from './filter.ts'
import { valueProblem } from './filter-values.ts'
import { stagesOf } from './stages-of.ts'

/** Stages that the builder's rows cannot show. The message is for people. */
class FilterParseError extends Error {
  override name = 'FilterParseError'
}

const unexpectedField = (field: string): FilterParseError =>
  new FilterParseError(`Unexpected field in standard filter: "${field}"`)
const unknownOperator = (operator: string): FilterParseError => new FilterParseError(`Unknown Operator: "${operator}"`)
/** Message for a valid filter that rows cannot show. */
export const textOnly = 'This filter can only be shown as text.'
const unshowable = (): FilterParseError => new FilterParseError(textOnly)

type Json = Record<string, unknown>
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The one property of an object that has just one. */
function only(value: unknown): [string, unknown] {
  const [entry, ...more] = isJson(value) ? Object.entries(value) : []
  if (!entry || more.length > 0) throw unshowable()
  return entry
}

/**
 * The rows for the given stages: `stagesOf` of them gives the same stages again. Throws `FilterParseError` for stages
 * that rows cannot represent exactly.
 */
export function filterOf(stages: Stages, fields: readonly FilterField[]): Filter {
  const filter: Filter = { ...emptyFilter, standard: [], behavioral: [], columns: [] }
  const left = [...stages]
  while (left.length > 0) {
    const [name, value] = only(left[0])
    if (name === '$unwind' || name === '$group') {
      filter.groupBy = groupOf(left.splice(0))
      break
    }
    left.shift()
    readStage(filter, name, value, fields)
  }
  // Any other difference (order of stages, an equivalent pattern) would be lost on the way back.
  if (JSON.stringify(stagesOf(filter)) !== JSON.stringify(canonical(stages, fields))) throw unshowable()
  return filter
}

/** The same for any stages: those that rows cannot show are kept, with the reason (`advanced`). */
export function readFilter(stages: Stages, fields: readonly FilterField[]): Filter {
  try {
    return filterOf(stages, fields)
  } catch (error) {
    if (!(error instanceof FilterParseError)) throw error
    return { ...emptyFilter, advanced: { stages, problem: error.message } }
  }
}

/** The same for a saved query; the server has checked that it is a list of stages. */
export const readQuery = (query: string, fields: readonly FilterField[]): Filter =>
  readFilter(JSON.parse(query) as Stages, fields)

/** Conditions straight in a `$match` say the same as in a list of it, and fields the same in any letter case. */
function canonical(stages: Stages, fields: readonly FilterField[]): Stages {
  const parts = stages
    .flatMap((stage) => ('$match' in stage ? conditionsOf(stage['$match']) : []))
    .map((part) =>
      Object.fromEntries(Object.entries(part).map(([name, test]) => [fieldNamed(name, fields)?.name ?? name, test])),
    )
  const others = stages.filter((stage) => !('$match' in stage))
  return parts.length === 0 ? others : [{ $match: { $and: parts } }, ...others]
}

const fieldNamed = (name: string, fields: readonly FilterField[]): FilterField | undefined =>
  findByName(fields, (field) => field.name)(name)

function conditionsOf(match: unknown): Json[] {
  if (!isJson(match)) throw unshowable()
  return Object.entries(match).flatMap(([name, value]) => {
    if (name !== '$and') return [{ [name]: value }]
    if (!Array.isArray(value)) throw unshowable()
    return (value as unknown[]).flatMap(conditionsOf)
  })
}

function readStage(filter: Filter, name: string, value: unknown, fields: readonly FilterField[]): void {
  switch (name) {
    case '$predefined':
      filter.predefined = String(value)
      return
    case '$match':
      for (const condition of conditionsOf(value)) readCondition(filter, condition, fields)
      return
    case '$sort': {
      const [field, order] = only(value)
      if (order !== 1 && order !== -1) throw unshowable()
      filter.sort = { field, order }
      return
    }
    case '$project':
      if (!isJson(value)) throw unshowable()
      filter.columns = Object.keys(value)
      return
    case '$limit':
    case '$skip':
    case '$addFields':
    case '$count':
      throw unshowable()
    default:
      throw unknownOperator(name)
  }
}

function readCondition(filter: Filter, condition: Json, fields: readonly FilterField[]): void {
  const [name, value] = only(condition)
  if (name === 'events') filter.behavioral.push(eventRowOf(value))
  else if (name === 'location') filter.location = placeOf(value)
  else if (name === '$text') filter.fullText = textOf(value)
  else if (name.startsWith('$')) throw unknownOperator(name)
  else {
    const field = fieldNamed(name, fields)
    if (!field) throw unexpectedField(name)
    filter.standard.push(conditionOf(field.name, field.type, value))
  }
}

function conditionOf(field: string, type: FieldType, test: unknown): Condition {
  const condition = { field, type, ...testOf(test) }
  if (valueProblem(condition) !== null) throw unshowable()
  return condition
}

const operatorNames: Record<string, Operator> = {
  $ne: '!=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}

function testOf(test: unknown): { operator: Operator; value: string } {
  if (!isJson(test)) return { operator: '=', value: plainText(test) }
  if ('$regex' in test) return patternOf(test)
  const [name, value] = only(test)
  if (name === '$in' || name === '$nin') {
    if (!Array.isArray(value)) throw unshowable()
    return { operator: name === '$in' ? 'in' : 'nin', value: (value as unknown[]).map(plainText).join(', ') }
  }
  const operator = operatorNames[name]
  if (!operator) throw unknownOperator(name)
  return { operator, value: plainText(value) }
}

function patternOf({ $regex: pattern, $options: options }: Json): { operator: Operator; value: string } {
  if (typeof pattern !== 'string') throw unshowable()
  if (options === undefined) return { operator: 'regex', value: pattern }
  const isStart = pattern.startsWith('^')
  const isEnd = !isStart && /(^|[^\\])(\\\\)*\$$/.test(pattern)
  const inner = pattern.slice(isStart ? 1 : 0, isEnd ? -1 : undefined)
  const value = inner.replace(/\\([\\^$.*+?()[\]{}|])/g, '$1')
  return { operator: isStart ? 'starts' : isEnd ? 'ends' : 'contains', value }
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw unshowable()
}

function textOf(value: unknown): string {
  const [name, words] = only(value)
  if (name !== '$search') throw unknownOperator(name)
  return plainText(words)
}

function eventRowOf(value: unknown): EventRow {
  const [name, match] = only(value)
  if (name !== '$elemMatch') throw unknownOperator(name)
  return { conditions: conditionsOf(match).map(eventConditionOf) }
}

function eventConditionOf(condition: Json): EventCondition {
  const [name, test] = only(condition)
  if (name.startsWith('$')) throw unknownOperator(name)
  const known = behavioralFields.find((field) => field.name === name)
  return { ...conditionOf(name, known?.type ?? typeOfTest(test), test), isCustom: !known }
}

/** Custom fields of events have no declared type: the type of the value decides. */
function typeOfTest(test: unknown): FieldType {
  const value: unknown = isJson(test) ? Object.values(test)[0] : test
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'number' ? 'number' : typeof one === 'boolean' ? 'boolean' : 'string'
}

function placeOf(value: unknown): Place {
  const [name, shape] = only(value)
  if (name !== '$geoWithin') throw unknownOperator(name)
  const [kind, circle] = only(shape)
  if (kind !== '$centerSphere') throw unknownOperator(kind)
  const [centre, radius] = Array.isArray(circle) ? (circle as unknown[]) : []
  const [longitude, latitude] = Array.isArray(centre) ? (centre as unknown[]) : []
  if (typeof longitude !== 'number' || typeof latitude !== 'number' || typeof radius !== 'number') throw unshowable()
  return { distance: milesOf(radius), latitude, longitude }
}

/** The division of `stagesOf` undone: the shortest number of miles that gives the radius. */
function milesOf(radius: number): number {
  const about = radius * earthRadiusMiles
  const digits = [12, 13, 14, 15, 16, 17].map((precision) => Number(about.toPrecision(precision)))
  return digits.find((miles) => miles / earthRadiusMiles === radius) ?? about
}

/** `[$unwind] $group $sort $limit`, as the builder writes them. */
function groupOf(stages: Stages): GroupBy {
  const [group, sort, limit, ...more] = stages.filter((stage) => !('$unwind' in stage))
  const [groupName, grouping] = only(group)
  if (groupName !== '$group' || !isJson(grouping) || more.length > 0) throw unshowable()
  const { _id: keys, ...values } = grouping
  const [id, id2 = null, ...others] = isJson(keys) ? Object.values(keys).map(keyOf) : []
  if (!id || others.length > 0) throw unshowable()
  const [limitName, rows] = only(limit)
  const [sortName, order] = only(sort)
  if (sortName !== '$sort' || limitName !== '$limit' || !groupLimits.some((known) => known === rows)) throw unshowable()
  const [value] = Object.entries(values)
  const [sorted, direction] = (isJson(order) && Object.entries(order)[0]) || []
  if (direction !== 1 && direction !== -1) throw unshowable()
  return {
    id,
    id2,
    ...accumulatorOf(value?.[1]),
    sortBy: sorted === value?.[0] ? 'value' : 'id',
    sort: direction,
    limit: Number(rows),
  }
}

function keyOf(key: unknown): GroupKey {
  if (typeof key === 'string') return { field: pathOf(key), part: null }
  const [name, path] = only(key)
  const part = dateParts.find((known) => `$${known}` === name)
  if (!part) throw unknownOperator(name)
  return { field: pathOf(path), part: part satisfies DatePart }
}

function pathOf(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('$')) throw unshowable()
  return path.slice(1)
}

function accumulatorOf(accumulator: unknown): Pick<GroupBy, 'operator' | 'field'> {
  if (accumulator === undefined) return { operator: 'distinct', field: null }
  const [name, path] = only(accumulator)
  if (name === '$count') return { operator: 'count', field: null }
  const operator = groupOperators.find((known) => `$${known}` === name)
  if (!operator || operator === 'distinct') throw unknownOperator(name)
  return { operator, field: pathOf(path) }
}
