import { type Condition, type ConditionOperator, parseCondition } from '../policies.ts'

const comparisons: Record<ConditionOperator, string> = {
  eq: 'is',
  neq: 'is not',
  ct: 'contains',
  nct: 'does not contain',
  sw: 'begins with',
  nsw: 'does not begin with',
  ew: 'ends with',
  new: 'does not end with',
  in: 'is one of',
  nin: 'is none of',
  regex: 'matches the pattern',
}

const positions = ['first', 'second', 'third', 'fourth', 'fifth']

/** A condition in words, such as `“limit” in the query is “100”`. One that cannot be read stays as it is. */
export function conditionInWords(text: string): string {
  const condition = parseCondition(text)
  if (!condition) return text
  const { operator, value } = condition
  return `${subjectOf(condition)} ${comparisons[operator]} ${valuesOf(operator, value)}`
}

/**
 * All conditions of a policy as one sentence: `Only if “limit” in the query is “100”, and the first value in the path
 * is “7”.` Without conditions: `Always.`
 */
export function conditionsInWords(conditions: readonly string[], logic: 'and' | 'or'): string {
  if (conditions.length === 0) return 'Always.'
  return `Only if ${conditions.map(conditionInWords).join(`, ${logic} `)}.`
}

function subjectOf({ option, key }: Condition): string {
  if (option === 'param') return `the ${positions[Number(key)] ?? `${Number(key) + 1}th`} value in the path`
  return `“${key}” in the ${option}`
}

function valuesOf(operator: ConditionOperator, value: string): string {
  if (operator !== 'in' && operator !== 'nin') return `“${value}”`
  return value
    .split(',')
    .map((item) => `“${item.trim()}”`)
    .join(', ')
}
