import { type Feature, features } from '@portico/contract/features'
import { heldActionFits } from '@portico/contract/rights/held-action'
import type { Action } from '@portico/contract/route'
import type { JudgedRequest, RequestParts } from '#platform/http/context.ts'
import { type ConditionJudgement, judgeCondition } from './condition.ts'

/** The actions that a policy grants, and the conditions under which it does. */
export type Policy = {
  name: string
  /** `microservice::resource::method`, each part of which may be `*`. */
  actions: readonly string[]
  /** `option::key::operator::value`. */
  conditions: readonly string[]
  conditionLogic: 'and' | 'or'
}

/** The result of judging a policy for one action and request. */
export type PolicyJudgement = {
  /** `action`: it holds no action that matches; `condition`: it does, but its conditions do not hold. */
  outcome: 'grants' | 'action' | 'condition'
  /** The first held action that matches. */
  action: string | null
  /** Evaluated only when an action matches. */
  conditions: ({ condition: string } & ConditionJudgement)[]
}

/** Matches every action. */
export const everyAction: Action = '*::*::*'

/**
 * Evaluates one policy: it grants an action that one of its own actions matches if its conditions hold, combined by its
 * `conditionLogic` (product rules, part 3). Without conditions it always grants.
 */
export function judgePolicy(policy: Policy, action: Action, request: RequestParts): PolicyJudgement {
  const held = matchingAction(policy, action)
  if (held === null) return { outcome: 'action', action: null, conditions: [] }
  const conditions = policy.conditions.map((condition) => ({ condition, ...judgeCondition(condition, request) }))
  const met = conditions.filter(({ isMet }) => isMet).length
  const holds = policy.conditionLogic === 'or' && conditions.length > 0 ? met > 0 : met === conditions.length
  return { outcome: holds ? 'grants' : 'condition', action: held, conditions }
}

/**
 * Whether one of the policies grants `action` for this request. For an unread request (null): whether one may. For
 * `any`: whether one grants it without conditions.
 */
export function isAllowed(policies: readonly Policy[], action: Action, request: JudgedRequest): boolean {
  if (request === null) return policies.some((policy) => matchingAction(policy, action) !== null)
  if (request === 'any') {
    return policies.some((policy) => policy.conditions.length === 0 && matchingAction(policy, action) !== null)
  }
  return policies.some((policy) => judgePolicy(policy, action, request).outcome === 'grants')
}

/** Names of the policies, then of the features that their actions grant, each once. */
export function policyNames(policies: readonly Policy[]): string[] {
  return [...new Set([...policies.map(({ name }) => name), ...grantedFeatures(policies)])]
}

/** Features whose action a policy holds. Conditions are ignored: they depend on the request. */
export function grantedFeatures(policies: readonly Policy[]): Feature[] {
  return (
    Object.entries(features)
      .filter(([, action]) => policies.some((policy) => matchingAction(policy, action) !== null))
      // The keys of `features` are the type `Feature`.
      .map(([feature]) => feature as Feature)
  )
}

/** Features that require the action. */
export function featuresOf(action: string): Feature[] {
  return (
    Object.entries(features)
      .filter(([, needed]) => needed.toLowerCase() === action.toLowerCase())
      // As above.
      .map(([feature]) => feature as Feature)
  )
}

/** The first action of a policy that covers `action`; null if none does. Conditions are ignored. */
export function matchingAction({ actions }: Policy, action: Action): string | null {
  const wanted = action.toLowerCase().split('::')
  return actions.find((each) => heldActionFits(each, wanted)) ?? null
}
