import { type Feature, features } from '@portico/contract/features'
import type { Action } from '@portico/contract/route'
import type { RequestParts } from '#platform/http/context.ts'
import { conditionHolds } from './condition.ts'

/** What a policy lets its holder do. */
export type Policy = {
  name: string
  /** `microservice::resource::method`, each part of which may be `*`. */
  actions: readonly string[]
  /** `option::key::operator::value`. */
  conditions: readonly string[]
  conditionLogic: 'and' | 'or'
}

/** What a policy says to an action with one request. */
export type PolicyJudgement = {
  /** `action`: it holds no action that matches; `condition`: it does, but its conditions do not hold. */
  outcome: 'grants' | 'action' | 'condition'
  /** The first held action that matches. */
  action: string | null
  /** Judged only where an action matches. */
  conditions: { condition: string; isMet: boolean }[]
}

const everyAction: Action = '*::*::*'

/**
 * Judges one policy: it grants an action that one of its own matches, where its conditions hold, joined by its
 * `conditionLogic` (product rules, part 3). Without conditions it grants always.
 */
export function judgePolicy(policy: Policy, action: Action, request: RequestParts): PolicyJudgement {
  const held = matchingAction(policy, action)
  if (held === null) return { outcome: 'action', action: null, conditions: [] }
  const conditions = policy.conditions.map((condition) => ({ condition, isMet: conditionHolds(condition, request) }))
  const met = conditions.filter(({ isMet }) => isMet).length
  const holds = policy.conditionLogic === 'or' && conditions.length > 0 ? met > 0 : met === conditions.length
  return { outcome: holds ? 'grants' : 'condition', action: held, conditions }
}

/** Whether one of the policies lets its holder do `action` with this request. */
export function isAllowed(policies: readonly Policy[], action: Action, request: RequestParts): boolean {
  return policies.some((policy) => judgePolicy(policy, action, request).outcome === 'grants')
}

/** Names of the policies, then of the features that their actions grant, each once. */
export function policyNames(policies: readonly Policy[]): string[] {
  return [...new Set([...policies.map(({ name }) => name), ...grantedFeatures(policies)])]
}

/** Features whose action a policy holds. What its conditions ask for depends on the request, which comes later. */
export function grantedFeatures(policies: readonly Policy[]): Feature[] {
  return (
    Object.entries(features)
      .filter(([, action]) => policies.some((policy) => matchingAction(policy, action) !== null))
      // The keys of `features` are what a feature is.
      .map(([feature]) => feature as Feature)
  )
}

/** Features that ask for the action. */
export function featuresOf(action: string): Feature[] {
  return (
    Object.entries(features)
      .filter(([, needed]) => needed.toLowerCase() === action.toLowerCase())
      // As above.
      .map(([feature]) => feature as Feature)
  )
}

/**
 * Whether a policy holds the action that stands for all others, at every request: one with conditions makes nobody a
 * power user.
 */
export function holdsEveryAction(policies: readonly Policy[]): boolean {
  return policies.some(({ actions, conditions }) => actions.includes(everyAction) && conditions.length === 0)
}

function matchingAction({ actions }: Policy, action: Action): string | null {
  const wanted = action.toLowerCase().split('::')
  const held = actions.find((each) => {
    const parts = each.toLowerCase().split('::')
    return parts.length === wanted.length && parts.every((part, index) => part === '*' || part === wanted[index])
  })
  return held ?? null
}
