import { canonicalEndpoint } from '@portico/contract/endpoints'
import { canonicalJson } from '@portico/contract/json-values'
import { type ConditionOperator, parseCondition } from '@portico/contract/policies'
import { foldName, foldText } from '@portico/domain/names'
import type { RequestParts } from '#platform/http/context.ts'
import { matchesPattern } from './condition-pattern.ts'
import { requiresAll } from './condition-stages.ts'
import { fieldsGivenOut, type Judged, judgedValues } from './condition-values.ts'

type PositiveOperator = 'eq' | 'ct' | 'sw' | 'ew' | 'in' | 'regex'

/** The positive operator that each negative operator negates. */
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
  /**
   * The value that decided against it. Null when the condition is met, when the request has no such value, or when it
   * cannot be evaluated.
   */
  failed: string | null
}

/**
 * Judges a condition `option::key::operator::value` for a request (product rules, part 3; specification 2 §3 and §9).
 * Every element of a list must fit a positive operator, and none may fit the opposite of a negative one. A missing
 * value meets only the negative operators. An invalid condition, or one that cannot be evaluated, is never met.
 */
export function judgeCondition(text: string, request: RequestParts): ConditionJudgement {
  const condition = parseCondition(text)
  const named = condition && judgedValues(condition, request)
  if (!condition || !named) return { isMet: false, failed: null }
  const { value: wanted } = condition
  const denied = opposites[condition.operator]
  // The operators without an opposite are the positive ones.
  const operator = denied ?? (condition.operator as PositiveOperator)
  // A request that names no columns returns all of them, so the fields its stages read cannot meet a positive operator.
  const isMissing = denied === undefined && named.length === 0
  const found = isMissing ? [] : [...named, ...fieldsGivenOut(condition, request)]
  if (denied !== undefined) {
    const values = found.flatMap((value) => [...itemsOf(value), value])
    const failed = values.find((value) => value !== null && fitsAsName(value, operator, wanted))
    return { isMet: failed === undefined, failed: failed?.text ?? null }
  }
  const values = found.flatMap((value) => fittable(value, operator, wanted))
  if (allFit(values, operator, wanted)) return { isMet: true, failed: null }
  const failed = values.find((value) => value !== null && !fitsAll(value, operator, wanted))
  return { isMet: false, failed: failed?.text ?? null }
}

/**
 * The values that must fit a positive operator: if a text lists several, each of them, unless the whole text equals the
 * wanted one.
 */
function fittable(value: Judged, operator: PositiveOperator, wanted: string): Judged[] {
  const items = itemsOf(value)
  const isWhole = items.length === 0 || (operator === 'eq' && value !== null && fits(value, operator, wanted))
  return isWhole ? [value] : items
}

function itemsOf(value: Judged): Judged[] {
  return value?.items.map((text) => ({ text, isJson: false, items: [] })) ?? []
}

function allFit(values: readonly Judged[], operator: PositiveOperator, wanted: string): boolean {
  if (values.length === 0) return false
  const known = values.filter((value) => value !== null)
  if (known.length < values.length) return false
  // Matched together, since the total cost of all matches is limited.
  if (operator === 'regex' && known.every((value) => !value.stages))
    return matchesPattern(
      wanted,
      known.map(({ text }) => text),
    )
  return known.every((value) => fitsAll(value, operator, wanted))
}

/**
 * Whether a value fits a positive operator. Of stages, only conditions that every row must meet count: a text that
 * occurs somewhere in them restricts nothing, so equality is the only operator that can be met.
 */
function fitsAll(value: NonNullable<Judged>, operator: PositiveOperator, wanted: string): boolean {
  if (!value.stages || operator === 'eq' || operator === 'in') return fits(value, operator, wanted)
  return operator === 'ct' && requiresAll(value.stages.own, wanted)
}

function fits({ text, isJson }: NonNullable<Judged>, operator: PositiveOperator, wanted: string): boolean {
  if (operator === 'regex') return matchesPattern(wanted, [text])
  if (!isJson) return textFits(text, operator, wanted)
  return formsInJson(wanted).some((form) => textFits(text, operator, form))
}

/** Whether a value fits as it is or by the fold of names, by which the server would find the denied name. */
function fitsAsName(value: NonNullable<Judged>, operator: PositiveOperator, wanted: string): boolean {
  const folded = { ...value, text: foldName(value.text) }
  return (
    fits(value, operator, wanted) || fits(folded, operator, operator === 'eq' ? foldName(wanted) : foldText(wanted))
  )
}

/** A text, and its forms in JSON: with quotes and backslashes escaped, and without spaces between its parts. */
function formsInJson(wanted: string): string[] {
  const escaped = JSON.stringify(wanted).slice(1, -1)
  // A fragment of JSON cannot be parsed, so the spaces to remove are recognized by the punctuation next to them.
  const compact = wanted
    .replaceAll(/([:,{[])\s+/g, '$1')
    .replaceAll(/\s+([:,}\]])?/g, (blanks, sign: string | undefined) => sign ?? blanks)
  // A number after a space is a text to find, not JSON.
  return [wanted, escaped, compact, ...(/^\s*[[{]/.test(wanted) ? [canonicalJson(wanted)] : [])]
}

/** Whether a text fits. A URL is also compared as the contract writes it, as the condition may write it differently. */
function textFits(text: string, operator: Exclude<PositiveOperator, 'regex'>, wanted: string): boolean {
  if (formFits(text, operator, wanted)) return true
  if (!/^https?:/i.test(wanted) || !/^https?:/i.test(text)) return false
  if (operator === 'in') return wanted.split(',').some((url) => formFits(text, 'eq', canonicalEndpoint(url.trim())))
  const isWhole = operator === 'eq' || (operator === 'sw' && /^[^:]*:[/\\]*[^/\\]+[/\\]/.test(wanted))
  return isWhole && formFits(text, operator, canonicalEndpoint(wanted))
}

function formFits(text: string, operator: Exclude<PositiveOperator, 'regex'>, wanted: string): boolean {
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
