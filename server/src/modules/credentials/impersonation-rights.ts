import type { JudgedRequest } from '#platform/http/context.ts'
import { api } from '@portico/contract/api'
import { type Feature, features } from '@portico/contract/features'
import type { Action, Route } from '@portico/contract/route'
import { findByName, foldName } from '@portico/domain/names'
import { grantedFeatures, isAllowed, type Policy, policyNames } from '#access'

/** Access of the calls that always store something, which no link may make (`storingRefusal`). */
const storingAccess: ReadonlySet<string> = new Set(
  Object.values<Route>(api).flatMap(({ access, stores }) => (stores && !stores.onlyWith ? [access] : [])),
)

/** Names for the web app, without features that only store something. */
const shownNames = (names: readonly string[]): string[] =>
  names.filter((name) => !Object.hasOwn(features, name) || !storingAccess.has(features[name as Feature]))

/** The rights of an impersonation link, limited to those of its creator. */
export type ImpersonationRights = {
  can: (action: Action, request: JudgedRequest) => boolean
  /** Names of the remaining policies, and of the features that the link may use. */
  names: string[]
}

/**
 * Narrows the policies that the creator holds now to the `chosen` names; null means all. A policy name stands for the
 * policy that had it when the link was created, as given by `policyIds`: another policy that gets the name later adds
 * nothing. A feature name grants its action where the creator's own policies allow the request. Names are compared
 * ignoring case.
 */
export function impersonationRights(
  held: readonly (Policy & { id: string })[],
  { chosen, policyIds }: { chosen: readonly string[] | null; policyIds: readonly string[] | null },
): ImpersonationRights {
  if (chosen === null)
    return { can: (action, request) => isAllowed(held, action, request), names: shownNames(policyNames(held)) }
  const find = findByName(policyNames(held), (name) => name)
  const wanted = new Set(chosen.map(find))
  const policies = held.filter(({ id, name }) => policyIds?.includes(id) ?? wanted.has(name))
  const flags = new Set(chosen.map(foldName))
  const chosenFeatures = grantedFeatures(held).filter((feature) => flags.has(foldName(feature)))
  const actions = new Set(chosenFeatures.map((feature) => features[feature].toLowerCase()))
  return {
    can: (action, request) =>
      isAllowed(policies, action, request) || (actions.has(action.toLowerCase()) && isAllowed(held, action, request)),
    names: shownNames([...new Set([...policyNames(policies), ...chosenFeatures])]),
  }
}
