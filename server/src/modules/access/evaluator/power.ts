import type { Action } from '@portico/contract/route'
import type { JudgedRequest } from '#platform/http/context.ts'
import { isAccepted } from '../identities/identity-sql.ts'
import type { HeldIdentity } from './held-identity.ts'
import { everyAction, isAllowed, type Policy } from './granted-actions.ts'

// The only definition of power admins and power users: in TypeScript for rows that were read, in SQL for counting and
// searching. `judgeAccess` decides whether an identity counts at the moment (limits, suspension).

/** Whether an identity makes its person a power admin: global, and in a group of administrators. */
export function isPowerAdminIdentity({ account, isAdmin }: { account: number | null; isAdmin: boolean }): boolean {
  return account === null && isAdmin
}

/**
 * Whether the policies of an account's identity make a power user: one of them holds `*::*::*` without conditions, so
 * for every request.
 */
export function holdsEveryAction(policies: readonly Pick<Policy, 'actions' | 'conditions'>[]): boolean {
  return policies.some(({ actions, conditions }) => actions.includes(everyAction) && conditions.length === 0)
}

/**
 * The policies with which a power admin administers. Policies of `everyone` are excluded: they are for the accounts
 * that people work in, and differ between accounts.
 */
export const administratorPolicies = ({ policies }: Pick<HeldIdentity, 'policies'>): HeldIdentity['policies'] =>
  policies.filter(({ isAssigned }) => isAssigned)

/** Whether the policies of a power admin's identity grant less than everything. */
export const isLimitedAdministrator = (identity: HeldIdentity): boolean =>
  !holdsEveryAction(administratorPolicies(identity))

/** A caller who may be an administrator, with the identities that count. */
type Administering = { isPowerAdmin: boolean; isPowerUser: boolean; counting: readonly HeldIdentity[] }

/**
 * Whether a caller may use a call of administrators that needs this action: power users in their account; power admins
 * by the policies of the identity that makes them one. Conditions on an unread request (null) count as met.
 */
export function administers(
  { isPowerAdmin, isPowerUser, counting }: Administering,
  action: Action,
  request: JudgedRequest,
): boolean {
  if (!isPowerAdmin) return isPowerUser
  const administrators = counting.filter(isPowerAdminIdentity)
  return administrators.some((identity) => isAllowed(administratorPolicies(identity), action, request))
}

/**
 * SQL: `isPowerAdminIdentity` for an enabled and accepted identity; `isAdmin` is SQL of a boolean: it is in a group of
 * administrators.
 */
export const isPowerAdminSql = (identity: string, isAdmin: string): string =>
  `${identity}.account_id IS NULL AND ${isAdmin} AND NOT ${identity}.is_disabled AND ${isAccepted(identity)}`

/** SQL: `holdsEveryAction` for one policy. */
export const holdsEveryActionSql = (policy: string): string =>
  `'${everyAction}' = ANY (${policy}.actions) AND cardinality(${policy}.conditions) = 0`
