import { type Condition, type ConditionOperator, parseCondition } from '@portico/contract/policies'
import type { RequestParts } from '#platform/http/context.ts'
import { matchesPattern } from './condition-pattern.ts'

type PositiveOperator = 'eq' | 'ct' | 'sw' | 'ew' | 'in' | 'regex'

/** What a negative operator denies. */
const opposites: Partial<Record<ConditionOperator, PositiveOperator>> = {
  neq: 'eq',
  nct: 'ct',
  nsw: 'sw',
  new: 'ew',
  nin: 'in',
}

/**
 * Whether a request meets a condition `option::key::operator::value` (product rules, part 3; specification 2 §3 and §9).
 * A positive operator asks for a value that fits; a negative one is met unless there is one. So of a list one element
 * is enough, and a missing value meets the negative operators alone. What is no condition, or cannot be judged, is never
 * met.
 */
export function conditionHolds(text: string, request: RequestParts): boolean {
  const condition = parseCondition(text)
  const values = condition && textsFor(condition, request)
  if (!condition || !values) return false
  const denied = opposites[condition.operator]
  // The operators without an opposite are the positive ones.
  const fits = anyFits(values, denied ?? (condition.operator as PositiveOperator), condition.value)
  return denied === undefined ? fits : !fits
}

/** Null when the request is nested so deeply that nobody can look into it. */
function textsFor(condition: Condition, request: RequestParts): string[] | null {
  try {
    return valuesOf(condition, request).flatMap(textsOf)
  } catch (error) {
    // The stack is used up; a list in a list, a hundred thousand times, is no request that anybody means.
    if (error instanceof RangeError) return null
    throw error
  }
}

function valuesOf({ option, key }: Condition, { params, query, body }: RequestParts): unknown[] {
  switch (option) {
    case 'param':
      return /^\d+$/.test(key) ? Object.values(params ?? {}).slice(Number(key), Number(key) + 1) : []
    case 'query':
      return isRecord(query) && Object.hasOwn(query, key) ? [query[key]] : []
    case 'body':
      return valuesAt(body, key.split('.'))
  }
}

/** What stands at a dotted path, in every element of the lists on the way. A name may have dots of its own. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (path.length === 0) return [value]
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path))
  if (!isRecord(value)) return []
  return path.flatMap((_, index) => {
    const name = path.slice(0, index + 1).join('.')
    return Object.hasOwn(value, name) ? valuesAt(value[name], path.slice(index + 1)) : []
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A value as texts to compare: of a list all elements, an object as its JSON, nothing for null. */
function textsOf(value: unknown): string[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return [typeof value === 'string' ? value : JSON.stringify(value)]
}

function anyFits(values: readonly string[], operator: PositiveOperator, wanted: string): boolean {
  if (operator === 'regex') return matchesPattern(wanted, values)
  const low = wanted.toLowerCase()
  return values.some((value) => fits(value.toLowerCase(), operator, low))
}

/** Both in lower case. */
function fits(value: string, operator: Exclude<PositiveOperator, 'regex'>, wanted: string): boolean {
  switch (operator) {
    case 'eq':
      return isSame(value, wanted)
    case 'ct':
      return value.includes(wanted)
    case 'sw':
      return value.startsWith(wanted)
    case 'ew':
      return value.endsWith(wanted)
    case 'in':
      return wanted
        .split(',')
        .map((item) => item.trim())
        .some((item) => item !== '' && isSame(value, item))
  }
}

/** Numbers are compared as numbers, or `007` would pass where 7 may not: the server reads both alike. */
function isSame(value: string, wanted: string): boolean {
  if (value === wanted) return true
  if (value.trim() === '' || wanted.trim() === '') return false
  const [one, other] = [Number(value), Number(wanted)]
  return one === other && Number.isFinite(one)
}
