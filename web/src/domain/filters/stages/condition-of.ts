import type { FieldType } from '@portico/contract/contacts'
import { isObject, type Row, type Term } from '@portico/domain/pipeline/pipeline'
import { behavioralFields, type Condition, type EventCondition, type Operator } from './filter.ts'
import { valueProblem } from './filter-values.ts'
import { listOf } from './value-list.ts'

/** Stages that the builder's rows cannot show. The message is for users. */
export class FilterParseError extends Error {
  override name = 'FilterParseError'
}

export const unexpectedField = (field: string): FilterParseError =>
  new FilterParseError(`Unexpected field in standard filter: "${field}"`)
export const unknownOperator = (operator: string): FilterParseError =>
  new FilterParseError(`Unknown Operator: "${operator}"`)
/** Message for a valid filter that rows cannot show. */
export const textOnly = 'This filter can only be shown as text.'
export const unshowable = (): FilterParseError => new FilterParseError(textOnly)

/** The only property of an object that has just one. */
export function only(value: unknown): [string, unknown] {
  const [entry, ...more] = isObject(value) ? Object.entries(value) : []
  if (!entry || more.length > 0) throw unshowable()
  return entry
}

export function conditionOf(field: string, type: FieldType, test: unknown): Condition {
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
  if (name === '$exists' && typeof value === 'boolean') return { operator: value ? 'filled' : 'empty', value: '' }
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

export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw unshowable()
}

/** A malformed list of conditions is shown only as text; other operators are named. */
export function unreadable(term: Term & { kind: 'and' | 'or' | 'nor' | 'unread' }): FilterParseError {
  const name = term.kind === 'unread' ? term.name : `$${term.kind}`
  return name === '$and' ? unshowable() : unknownOperator(name)
}

export function eventConditionOf(term: Term): EventCondition {
  if (term.kind === 'words') throw unknownOperator('$text')
  if (term.kind === 'event') throw unshowable()
  if (term.kind !== 'field') throw unreadable(term)
  const { field: name, test } = term
  const known = behavioralFields.find((field) => field.name === name)
  return { ...conditionOf(name, known?.type ?? typeOfTest(test), test), isCustom: !known }
}

/** Custom fields of events have no declared type: the type of the value decides, if there is one. */
function typeOfTest(test: unknown): FieldType {
  if (isObject(test) && '$exists' in test) return 'string'
  const value: unknown = isObject(test) ? Object.values(test)[0] : test
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'number' ? 'number' : typeof one === 'boolean' ? 'boolean' : 'string'
}
