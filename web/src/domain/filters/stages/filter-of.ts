import type { FieldType } from '@portico/contract/contacts'
import { earthRadiusMiles } from '@portico/contract/filter'
import { findByName } from '@portico/domain/names'
import {
  type Accumulator,
  isObject,
  type Key,
  type Pipeline,
  type Row,
  type Stage,
  type Term,
} from '@portico/domain/pipeline/pipeline'
import { formatPipeline, isKnownStage } from '@portico/domain/pipeline/pipeline-json'
import { fieldTerm, flatten } from '@portico/domain/pipeline/terms'
import {
  behavioralFields,
  type Condition,
  emptyFilter,
  type EventCondition,
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
import { listOf } from './value-list.ts'

/** Stages that the builder's rows cannot show. The message is for users. */
class FilterParseError extends Error {
  override name = 'FilterParseError'
}

const unexpectedField = (field: string): FilterParseError =>
  new FilterParseError(`Unexpected field in standard filter: "${field}"`)
const unknownOperator = (operator: string): FilterParseError => new FilterParseError(`Unknown Operator: "${operator}"`)
/** Message for a valid filter that rows cannot show. */
export const textOnly = 'This filter can only be shown as text.'
const unshowable = (): FilterParseError => new FilterParseError(textOnly)

/** The only property of an object that has just one. */
function only(value: unknown): [string, unknown] {
  const [entry, ...more] = isObject(value) ? Object.entries(value) : []
  if (!entry || more.length > 0) throw unshowable()
  return entry
}

/**
 * The rows for the given stages: `stagesOf` returns the same stages for them.
 * @throws {FilterParseError} for stages that rows cannot represent exactly
 */
export function filterOf(pipeline: Pipeline, fields: readonly FilterField[]): Filter {
  const filter: Filter = { ...emptyFilter, standard: [], behavioral: [], columns: [] }
  const at = pipeline.findIndex(({ kind }) => kind === 'unwind' || kind === 'group')
  for (const stage of at === -1 ? pipeline : pipeline.slice(0, at)) readStage(filter, stage, fields)
  if (at !== -1) filter.groupBy = groupOf(pipeline.slice(at))
  // Any other difference (order of stages, an equivalent pattern) would be lost on the way back.
  const same = formatPipeline(canonical(pipeline, fields))
  if (formatPipeline(stagesOf(filter)) !== same) throw unshowable()
  return filter
}

/** The same for any stages: those that rows cannot show are kept, with the reason (`advanced`). */
export function readFilter(stages: Pipeline, fields: readonly FilterField[]): Filter {
  try {
    return filterOf(stages, fields)
  } catch (error) {
    if (!(error instanceof FilterParseError)) throw error
    return { ...emptyFilter, advanced: { stages, problem: error.message } }
  }
}

/** Normalizes stages: terms mean the same in a condition and in its list, and fields the same in any letter case. */
function canonical(pipeline: Pipeline, fields: readonly FilterField[]): Pipeline {
  const terms = pipeline
    .flatMap((stage) => (stage.kind === 'match' ? flatten(stage.condition) : []))
    .map((term) =>
      term.kind === 'field' ? fieldTerm(fieldNamed(term.field, fields)?.name ?? term.field, term.test) : term,
    )
  const others = pipeline.filter(({ kind }) => kind !== 'match')
  const list: Term = { kind: 'and', of: terms.map((term) => [term]) }
  return terms.length === 0 ? others : [{ kind: 'match', condition: [list] }, ...others]
}

const fieldNamed = (name: string, fields: readonly FilterField[]): FilterField | undefined =>
  findByName(fields, (field) => field.name)(name)

function readStage(filter: Filter, stage: Stage, fields: readonly FilterField[]): void {
  switch (stage.kind) {
    case 'saved':
      filter.predefined = stage.id
      return
    case 'match':
      for (const term of flatten(stage.condition)) readTerm(filter, term, fields)
      return
    case 'sort': {
      const [field, order] = only(stage.order)
      if (order !== 1 && order !== -1) throw unshowable()
      filter.sort = { field, order }
      return
    }
    case 'project':
      filter.columns = Object.keys(stage.choices)
      return
    case 'unread': {
      const [name] = only(stage.json)
      throw isKnownStage(stage.json) ? unshowable() : unknownOperator(name)
    }
    case 'unwind':
    case 'group':
    case 'limit':
    case 'skip':
    case 'addFields':
    case 'count':
      throw unshowable()
  }
}

function readTerm(filter: Filter, term: Term, fields: readonly FilterField[]): void {
  switch (term.kind) {
    case 'event':
      filter.behavioral.push({ conditions: flatten(term.condition).map(eventConditionOf) })
      return
    case 'words':
      filter.fullText = textOf(term.of)
      return
    case 'field':
      readField(filter, term, fields)
      return
    case 'unread':
      // A field whose name begins with a dollar sign looks like an operator.
      if (!fieldNamed(term.name, fields)) throw unreadable(term)
      readField(filter, { kind: 'field', field: term.name, test: term.of }, fields)
      return
    case 'and':
    case 'or':
    case 'nor':
      throw unreadable(term)
  }
}

function readField(
  filter: Filter,
  { field: name, test }: Term & { kind: 'field' },
  fields: readonly FilterField[],
): void {
  if (name === 'events') throw unknownOperator(only(test)[0])
  if (name === 'location') {
    filter.location = placeOf(test)
    return
  }
  const field = fieldNamed(name, fields)
  if (!field) throw unexpectedField(name)
  filter.standard.push(conditionOf(field.name, field.type, test))
}

/** A malformed list of conditions is shown only as text; other operators are named. */
function unreadable(term: Term & { kind: 'and' | 'or' | 'nor' | 'unread' }): FilterParseError {
  const name = term.kind === 'unread' ? term.name : `$${term.kind}`
  return name === '$and' ? unshowable() : unknownOperator(name)
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
  if (!isObject(test)) return { operator: '=', value: plainText(test) }
  if ('$regex' in test) return patternOf(test)
  const [name, value] = only(test)
  if (name === '$in' || name === '$nin') {
    if (!Array.isArray(value)) throw unshowable()
    return { operator: name === '$in' ? 'in' : 'nin', value: listOf((value as unknown[]).map(plainText)) }
  }
  const operator = operatorNames[name]
  if (!operator) throw unknownOperator(name)
  return { operator, value: plainText(value) }
}

function patternOf({ $regex: pattern, $options: options }: Row): { operator: Operator; value: string } {
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

function eventConditionOf(term: Term): EventCondition {
  if (term.kind === 'words') throw unknownOperator('$text')
  if (term.kind === 'event') throw unshowable()
  if (term.kind !== 'field') throw unreadable(term)
  const { field: name, test } = term
  const known = behavioralFields.find((field) => field.name === name)
  return { ...conditionOf(name, known?.type ?? typeOfTest(test), test), isCustom: !known }
}

/** Custom fields of events have no declared type: the type of the value decides. */
function typeOfTest(test: unknown): FieldType {
  const value: unknown = isObject(test) ? Object.values(test)[0] : test
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

/** Reverses the division of `stagesOf`: the shortest number of miles that gives the radius. */
function milesOf(radius: number): number {
  const about = radius * earthRadiusMiles
  const digits = [12, 13, 14, 15, 16, 17].map((precision) => Number(about.toPrecision(precision)))
  return digits.find((miles) => miles / earthRadiusMiles === radius) ?? about
}

/** `[unwind] group sort limit`, as the builder writes them. */
function groupOf(pipeline: Pipeline): GroupBy {
  const [group, sort, limit, ...more] = pipeline.filter(({ kind }) => kind !== 'unwind')
  if (group?.kind !== 'group' || more.length > 0) throw unshowable()
  const [id, id2 = null, ...others] = group.isNamed ? group.keys.map(keyOf) : []
  if (!id || others.length > 0 || sort?.kind !== 'sort' || limit?.kind !== 'limit') throw unshowable()
  if (!groupLimits.some((known) => known === limit.rows)) throw unshowable()
  const [value] = group.values
  const [sorted, direction] = Object.entries(sort.order)[0] ?? []
  if (direction !== 1 && direction !== -1) throw unshowable()
  return {
    id,
    id2,
    ...accumulatorOf(value),
    sortBy: sorted === value?.name ? 'value' : 'id',
    sort: direction,
    limit: limit.rows,
  }
}

function keyOf(key: Key): GroupKey {
  if (key.kind === 'field') return { field: key.field, part: key.part }
  const [entry, ...more] = isObject(key.expression) ? Object.entries(key.expression) : []
  if (!entry || more.length > 0) throw unshowable()
  throw unknownOperator(entry[0])
}

function accumulatorOf(value: Accumulator | undefined): Pick<GroupBy, 'operator' | 'field'> {
  if (value === undefined) return { operator: 'distinct', field: null }
  if (value.operator === null) throw unshowable()
  if (value.operator === 'count') return { operator: 'count', field: null }
  const operator = groupOperators.find((known) => known === value.operator)
  if (!operator || operator === 'distinct') throw unknownOperator(`$${value.operator}`)
  if (typeof value.of !== 'string' || !value.of.startsWith('$')) throw unshowable()
  return { operator, field: value.of.slice(1) }
}
