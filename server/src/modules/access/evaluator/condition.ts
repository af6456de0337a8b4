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

/** The result for one condition. */
export type ConditionJudgement = {
  isMet: boolean
  /** The value that decided against it. Null when it is met, when the request has no such value, or when it cannot be evaluated. */
  failed: string | null
}

/** A value of the request as it is compared; null for an element of a list that has none. */
type Judged = { text: string; isJson: boolean } | null

/**
 * Judges a condition `option::key::operator::value` for a request (product rules, part 3; specification 2 §3 and §9).
 * Every element of a list must fit a positive operator, and none may fit the opposite of a negative one. A missing value
 * meets only the negative operators. An invalid condition, or one that cannot be evaluated, is never met.
 */
export function judgeCondition(text: string, request: RequestParts): ConditionJudgement {
  const condition = parseCondition(text)
  const values = condition && judgedValues(condition, request)
  if (!condition || !values) return { isMet: false, failed: null }
  const denied = opposites[condition.operator]
  // The operators without an opposite are the positive ones.
  const operator = denied ?? (condition.operator as PositiveOperator)
  if (denied !== undefined) {
    const failed = values.find((value) => value !== null && fits(value, operator, condition.value))
    return { isMet: failed === undefined, failed: failed?.text ?? null }
  }
  if (allFit(values, operator, condition.value)) return { isMet: true, failed: null }
  const failed = values.find((value) => value !== null && !fits(value, operator, condition.value))
  return { isMet: false, failed: failed?.text ?? null }
}

/** Null when the request is nested too deeply to be searched. */
function judgedValues(condition: Condition, request: RequestParts): Judged[] | null {
  try {
    return valuesOf(condition, request).flatMap(elementsOf)
  } catch (error) {
    // Stack overflow: no genuine request nests lists a thousand deep.
    if (error instanceof RangeError) return null
    throw error
  }
}

// Two names for the stages that choose what a request reads, so a condition on either judges both.
const stageNames = ['find', 'aggregate']

function valuesOf({ option, key }: Condition, { params, query, body }: RequestParts): unknown[] {
  switch (option) {
    case 'param':
      return /^\d+$/.test(key) ? Object.values(params ?? {}).slice(Number(key), Number(key) + 1) : []
    case 'query':
      return (stageNames.includes(key) ? stageNames : [key]).flatMap((name) =>
        isRecord(query) && Object.hasOwn(query, name) ? [query[name]] : [],
      )
    case 'body':
      return valuesAt(body, key.split('.'))
  }
}

/** The values at a dotted path, in every element of the lists along it. Names may contain dots themselves. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (path.length === 0) return [value]
  if (Array.isArray(value)) return [value.map((element) => valuesAt(element, path))]
  if (!isRecord(value)) return []
  return path.flatMap((_, index) => {
    const name = path.slice(0, index + 1).join('.')
    return Object.hasOwn(value, name) ? valuesAt(value[name], path.slice(index + 1)) : []
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The values to compare: each element of a list, the JSON of an object, none for null. */
function elementsOf(value: unknown): Judged[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) {
    return value.flatMap((element) => {
      const within = elementsOf(element)
      return within.length > 0 ? within : [null]
    })
  }
  if (typeof value === 'object') return [{ text: toJson(value), isJson: true }]
  if (typeof value !== 'string') return [{ text: toJson(value), isJson: false }]
  const json = canonicalJson(value)
  return [{ text: json ?? value, isJson: json !== null }]
}

/**
 * JSON in the one way that `JSON.stringify` writes it, since the server acts on what it means: without spaces and escapes
 * that are not needed, also in texts that hold JSON themselves.
 */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? (canonicalJson(inner) ?? inner) : inner))

/** Null for a text that is not the JSON of an object or a list. */
function canonicalJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  return toJson(value)
}

function allFit(values: readonly Judged[], operator: PositiveOperator, wanted: string): boolean {
  if (values.length === 0) return false
  const known = values.filter((value) => value !== null)
  if (known.length < values.length) return false
  // All at once, since the cost of all matches together is limited.
  if (operator === 'regex')
    return matchesPattern(
      wanted,
      known.map(({ text }) => text),
    )
  return known.every((value) => fits(value, operator, wanted))
}

function fits({ text, isJson }: NonNullable<Judged>, operator: PositiveOperator, wanted: string): boolean {
  if (operator === 'regex') return matchesPattern(wanted, [text])
  if (!isJson) return textFits(text, operator, wanted)
  return formsInJson(wanted).some((form) => textFits(text, operator, form))
}

/** A text, and how JSON writes it: with quotes and backslashes escaped, and without spaces between its parts. */
function formsInJson(wanted: string): string[] {
  const escaped = JSON.stringify(wanted).slice(1, -1)
  // A part of JSON cannot be parsed, so the spaces that people write are known by the signs beside them.
  const compact = wanted.replaceAll(/([:,{[])\s+/g, '$1').replaceAll(/\s+(?=[:,}\]])/g, '')
  return [wanted, escaped, compact, canonicalJson(wanted) ?? wanted]
}

function textFits(text: string, operator: Exclude<PositiveOperator, 'regex'>, wanted: string): boolean {
  const [value, low] = [text.toLowerCase(), wanted.toLowerCase()]
  switch (operator) {
    case 'eq':
      return isSame(value, low)
    case 'ct':
      return value.includes(low)
    case 'sw':
      return value.startsWith(low)
    case 'ew':
      return value.endsWith(low)
    case 'in':
      return low
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
