import { Stages } from './filter.ts'
import { usesFullText } from './stage-readers.ts'

/** Message of a rule that does more than choose contacts. */
export const rowRuleProblem = 'Choose contacts by their fields, events and location: other filters cannot be a rule.'

/**
 * Stages that choose the contacts an identity may see. No saved filter and no full-text search: the one could be changed by
 * those whom it restricts, the other depends on an index. An empty list is no rule.
 */
export const RowRule = Stages.superRefine((stages, context) => {
  const isChoice = (stage: object) => Object.keys(stage).join() === '$match'
  if (!stages.every(isChoice) || usesFullText(stages)) context.addIssue({ code: 'custom', message: rowRuleProblem })
  if (JSON.stringify(stages).length > maxRowRule)
    context.addIssue({ code: 'custom', message: 'This is larger than allowed.' })
})
  .transform((stages) => (stages.length === 0 ? null : stages))
  .nullable()

const maxRowRule = 20_000

/** The contacts that one of the rules lets through. */
export function eitherRule(rules: readonly Stages[]): Stages {
  const distinct = [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()]
  const [first = []] = distinct
  return distinct.length === 1 ? first : [{ $match: { $or: distinct.map(ruleCondition) } }]
}

/** The contacts that all of the rules let through; null is no rule. */
export function everyRule(...rules: readonly (Stages | null)[]): Stages | null {
  const given = rules.filter((rule) => rule !== null)
  const distinct = new Map(given.map((rule) => [JSON.stringify(rule), rule]))
  return distinct.size === 0 ? null : [...distinct.values()].flat()
}

/** Whether stages begin with all those of a rule, and so let through no other contacts. */
export function beginsWithRule(stages: readonly unknown[], rule: Stages): boolean {
  return isSameRule(stages.slice(0, rule.length), rule)
}

/** The order of names in an object is not kept where rules are stored, and changes nothing. */
export const isSameRule = (one: unknown, other: unknown): boolean => sortedJson(one) === sortedJson(other)

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isObject ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner
  })
}

const ruleCondition = (rule: Stages): unknown => ({ $and: rule.map((stage) => stage['$match']) })
