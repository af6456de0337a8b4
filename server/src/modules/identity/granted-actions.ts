import { type Feature, features } from '@portico/contract/features'
import type { Action } from '@portico/contract/route'

/** What a policy lets its holder do. */
export type Policy = {
  name: string
  /** `microservice::resource::method`, each part of which may be `*`. */
  actions: readonly string[]
  conditions: readonly string[]
}

/** The parts of a request that conditions can look at. */
export type RequestParts = { params: unknown; query: unknown; body: unknown }

const everyAction: Action = '*::*::*'

/** Whether one of the policies lets its holder do `action` with this request. */
export function isAllowed(policies: readonly Policy[], action: Action, request: RequestParts): boolean {
  return policies.some((policy) => conditionsHold(policy, request) && grantsAction(policy, action))
}

/** Names of the policies, then of the features that their actions grant, each once. */
export function policyNames(policies: readonly Policy[]): string[] {
  const granted = Object.entries(features)
    .filter(([, action]) => policies.some((policy) => grantsAction(policy, action)))
    .map(([feature]) => feature as Feature)
  return [...new Set([...policies.map(({ name }) => name), ...granted])]
}

/** Whether a policy holds the action that stands for all others. */
export function holdsEveryAction(policies: readonly Policy[]): boolean {
  return policies.some(({ actions }) => actions.includes(everyAction))
}

function grantsAction({ actions }: Policy, action: Action): boolean {
  const wanted = action.toLowerCase().split('::')
  return actions.some((held) => {
    const parts = held.toLowerCase().split('::')
    return parts.length === wanted.length && parts.every((part, index) => part === '*' || part === wanted[index])
  })
}

/** Closed on purpose: a policy with conditions grants nothing as long as they cannot be judged. */
function conditionsHold({ conditions }: Policy, _request: RequestParts): boolean {
  return conditions.length === 0
}
