import { Stages } from './filter.ts'
import { usesFullText } from './stage-readers.ts'

/** Message of a rule that does more than choose contacts. */
export const rowRuleProblem = 'Choose contacts by their fields, events and location: other filters cannot be a rule.'

/**
 * Stages that choose the contacts an identity may see. No saved filter and no full-text search: the one could be changed by
 * those whom it restricts, the other depends on an index. An empty list is no rule.
 */
export const RowRule = Stages.transform((stages, context) => {
  if (!stages.every(isChoice) || usesFullText(stages)) context.addIssue({ code: 'custom', message: rowRuleProblem })
  if (JSON.stringify(stages).length > maxRowRule)
    context.addIssue({ code: 'custom', message: 'This is larger than allowed.' })
  return stages.length === 0 ? null : stages
}).nullable()

const maxRowRule = 20_000

const isChoice = (stage: object): boolean => Object.keys(stage).join() === '$match'

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

/**
 * Whether a rule certainly lets through no other contacts than another one: it has each of its conditions, and of alternatives
 * those of one. Null is no rule.
 */
export function isWithinRule(inner: Stages | null, outer: Stages | null): boolean {
  if (outer === null) return true
  const held = new Set((inner ?? []).flatMap((stage) => conditionsOf(stage['$match'])).map(sortedJson))
  return outer.every((stage) => isCertain(stage['$match'], held))
}

/** The stages at the start that choose contacts: what comes after them sees no others. */
export function choiceOf(stages: Stages): Stages {
  const end = stages.findIndex((stage) => !isChoice(stage))
  return end === -1 ? stages : stages.slice(0, end)
}

/** Whether everything that meets the held conditions meets `match`, as far as their texts tell. */
function isCertain(match: unknown, held: ReadonlySet<string>): boolean {
  return conditionsOf(match).every((condition) => {
    const { $or: branches } = condition
    const isOneCertain = Array.isArray(branches) && branches.some((branch) => isCertain(branch, held))
    return isOneCertain || held.has(sortedJson(condition))
  })
}

/** The conditions that a contact has to meet, one by one: all names of an object, and all branches of `$and`. */
function conditionsOf(match: unknown): Record<string, unknown>[] {
  // Such a rule cannot be applied, so it is as good as any.
  if (!isObject(match)) return [{ $match: match }]
  return Object.entries(match).flatMap(([name, value]) =>
    name === '$and' && Array.isArray(value) ? value.flatMap(conditionsOf) : [{ [name]: value }],
  )
}

/** The order of names in an object is not kept where rules are stored, and changes nothing. */
export const isSameRule = (one: unknown, other: unknown): boolean => sortedJson(one) === sortedJson(other)

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    return isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ruleCondition = (rule: Stages): unknown => ({ $and: rule.map((stage) => stage['$match']) })

/** A short text that is the same for the same rule. */
export const textOfRule = (rule: Stages): string => sortedJson(rule)
