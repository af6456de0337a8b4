import { type Condition, type ConditionOperator, parseCondition } from '@portico/contract/policies'
import type { RequestParts } from '#platform/http/context.ts'
import { matchesPattern } from './condition-pattern.ts'

type PositiveOperator = 'eq' | 'ct' | 'sw' | 'ew' | 'in' | 'regex'

/** The operator that a negative one negates. */
const opposites: Partial<Record<ConditionOperator, PositiveOperator>> = {
  neq: 'eq',
  nct: 'ct',
  nsw: 'sw',
  new: 'ew',
  nin: 'in',
}

/**
 * Whether a request meets a condition `option::key::operator::value` (product rules, part 3; specification 2 §3 and §9).
 * A positive operator needs one value that fits; a negative one holds unless there is one. So one element of a list is
 * enough, and a missing value meets only the negative operators. An invalid condition, or one that cannot be evaluated,
 * never holds.
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

/** Null when the request is nested too deeply to be searched. */
function textsFor(condition: Condition, request: RequestParts): string[] | null {
  try {
    return valuesOf(condition, request).flatMap(textsOf)
  } catch (error) {
    // Stack overflow: no genuine request nests lists a hundred thousand deep.
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

/** The values at a dotted path, in every element of the lists along it. Names may contain dots themselves. */
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

/** The texts to compare: all elements of a list, the JSON of an object, nothing for null. */
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

/** Expects both in lower case. */
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

/** Compares numbers as numbers: the server reads `007` and 7 alike, so a condition that denies one must deny both. */
function isSame(value: string, wanted: string): boolean {
  if (value === wanted) return true
  if (value.trim() === '' || wanted.trim() === '') return false
  const [one, other] = [Number(value), Number(wanted)]
  return one === other && Number.isFinite(one)
}
