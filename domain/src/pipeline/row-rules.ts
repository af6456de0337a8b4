import { isObject, type Row } from './pipeline.ts'

// Rules that choose the contacts an identity may see, as stages that are stored and compared as JSON.

/** Whether a stage does nothing but choose contacts by their fields, events and location. */
export const isChoice = (stage: object): boolean => Object.keys(stage).join() === '$match'

/** The contacts that one of the rules lets through. */
export function eitherRule(rules: readonly Row[][]): Row[] {
  const distinct = [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()]
  const [first = []] = distinct
  return distinct.length === 1 ? first : [{ $match: { $or: distinct.map(ruleCondition) } }]
}

/** The contacts that all of the rules let through; null is no rule. */
export function everyRule(...rules: readonly (Row[] | null)[]): Row[] | null {
  const given = rules.filter((rule) => rule !== null)
  const distinct = new Map(given.map((rule) => [JSON.stringify(rule), rule]))
  return distinct.size === 0 ? null : [...distinct.values()].flat()
}

/**
 * Whether a rule certainly lets through no other contacts than another one: it has each of its conditions, and of alternatives
 * those of one. Null is no rule.
 */
export function isWithinRule(inner: Row[] | null, outer: Row[] | null): boolean {
  if (outer === null) return true
  const held = new Set((inner ?? []).flatMap((stage) => conditionsOf(stage['$match'])).map(sortedJson))
  return outer.every((stage) => isCertain(stage['$match'], held))
}

/** The stages at the start that choose contacts: what comes after them sees no others. */
export function choiceOf(stages: Row[]): Row[] {
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
function conditionsOf(match: unknown): Row[] {
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

const ruleCondition = (rule: Row[]): unknown => ({ $and: rule.map((stage) => stage['$match']) })

/** A short text that is the same for the same rule. */
export const textOfRule = (rule: Row[]): string => sortedJson(rule)
