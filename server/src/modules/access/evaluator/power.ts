import { isAccepted } from '../identities/identity-sql.ts'
import { everyAction, type Policy } from './granted-actions.ts'

// The only definition of power admins and power users: in TypeScript for rows that were read, in SQL for counting and
// searching. `judgeAccess` decides whether an identity counts at the moment (limits, suspension).

/** Whether an identity makes its person a power admin: global, and in a group of administrators. */
export function isPowerAdminIdentity({ account, isAdmin }: { account: number | null; isAdmin: boolean }): boolean {
  return account === null && isAdmin
}

/**
 * Whether the policies of an account's identity make a power user: one of them holds `*::*::*` without conditions, so for
 * every request.
 */
export function holdsEveryAction(policies: readonly Pick<Policy, 'actions' | 'conditions'>[]): boolean {
  return policies.some(({ actions, conditions }) => actions.includes(everyAction) && conditions.length === 0)
}

/** SQL: `isPowerAdminIdentity` for an enabled and accepted identity; `isAdmin` is SQL of a boolean: it is in a group of administrators. */
export const isPowerAdminSql = (identity: string, isAdmin: string): string =>
  `${identity}.account_id IS NULL AND ${isAdmin} AND NOT ${identity}.is_disabled AND ${isAccepted(identity)}`

/** SQL: `holdsEveryAction` for one policy. */
export const holdsEveryActionSql = (policy: string): string =>
  `'${everyAction}' = ANY (${policy}.actions) AND cardinality(${policy}.conditions) = 0`
