import type { Stages } from '@portico/contract/filter'
import type { HeldIdentity } from './held-identity.ts'
import { everyAction, type Policy } from './granted-actions.ts'
import type { Limits } from './limit.ts'
import { administratorPolicies, isPowerAdminIdentity } from './power.ts'

/** When and from where rights apply, and to which contacts (null: all). */
export type Bounds = Limits & { rowRule: Stages | null }

/** The rights that an administrator holds by one identity and may therefore give to others within the same limits. */
export type Holding = {
  policies: readonly Policy[]
  limits: Bounds
  /** The rights hold in the sub-accounts too. */
  reachesSubAccounts: boolean
}

const unlimited: Bounds = { days: [], daysEffect: null, hours: [], hoursEffect: null, cidr: null, rowRule: null }

/** Every right, without limits: the operator's holding. */
export const everything: Holding = {
  policies: [{ name: 'everything', actions: [everyAction], conditions: [], conditionLogic: 'and' }],
  limits: unlimited,
  reachesSubAccounts: true,
}

/**
 * Empty unless the caller is an administrator. Only administrators give rights: power admins everywhere, power users in
 * their account.
 */
export function holdingsOf({
  isPowerAdmin,
  isPowerUser,
  counting,
}: {
  isPowerAdmin: boolean
  isPowerUser: boolean
  counting: readonly HeldIdentity[]
}): Holding[] {
  if (isPowerAdmin) {
    return counting.filter(isPowerAdminIdentity).map((identity) => ({
      policies: administratorPolicies(identity),
      limits: identity,
      reachesSubAccounts: true,
    }))
  }
  if (!isPowerUser) return []
  return counting
    .filter(({ account }) => account !== null)
    .map((identity) => ({
      policies: identity.policies,
      limits: identity,
      reachesSubAccounts: identity.accessToAllSubAccounts,
    }))
}
