import { features } from '@portico/contract/features'
import type { Action } from '@portico/contract/route'
import type { RequestParts } from '#platform/http/context.ts'
import { grantedFeatures, isAllowed, type Policy, policyNames } from './granted-actions.ts'

/** What an impersonation link gives: never more than its maker holds. */
export type ImpersonationRights = {
  can: (action: Action, request: RequestParts) => boolean
  /** Names of the policies and features that are left. */
  names: string[]
}

/**
 * What is left of the policies that the maker holds right now when only the `chosen` names count; null stands for all.
 * The name of a policy gives that policy; the name of a feature gives its action, as far as the maker's own policies
 * allow the request. Names are compared without regard to case.
 */
export function impersonationRights(held: readonly Policy[], chosen: readonly string[] | null): ImpersonationRights {
  if (chosen === null) return { can: (action, request) => isAllowed(held, action, request), names: policyNames(held) }
  const wanted = new Set(chosen.map((name) => name.toLowerCase()))
  const policies = held.filter(({ name }) => wanted.has(name.toLowerCase()))
  const chosenFeatures = grantedFeatures(held).filter((feature) => wanted.has(feature))
  const actions = new Set(chosenFeatures.map((feature) => features[feature].toLowerCase()))
  return {
    can: (action, request) =>
      isAllowed(policies, action, request) || (actions.has(action.toLowerCase()) && isAllowed(held, action, request)),
    names: [...new Set([...policyNames(policies), ...chosenFeatures])],
  }
}
