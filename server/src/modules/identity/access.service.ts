import type { AccountId, Preferences, User } from '@portico/contract/identity'
import type pg from 'pg'
import { type AccessRow, selectAccess } from './access.queries.ts'
import { holdsEveryAction, type Policy, policyNames } from './granted-actions.ts'

/** What a person is and may do on one account; without one (`account` null) nothing but choose one. */
export type Access = {
  personId: string
  email: string
  userName: string | null
  photoURL: string | null
  account: AccountId | null
  parent: AccountId | null
  /** Whether the person may work in the account at all. */
  mayEnter: boolean
  isPowerAdmin: boolean
  isPowerUser: boolean
  policies: Policy[]
  preferences: Preferences
}

const defaultPreferences: Preferences = { menus: {}, timeout: 30 }

/** Null when the person does not exist. */
export async function accessOf(pool: pg.Pool, account: AccountId | null, personId: string): Promise<Access | null> {
  const row = await selectAccess(pool, account, personId)
  return row && toAccess(row)
}

export function toAccess(row: AccessRow): Access {
  const isPowerAdmin = row.is_power_admin
  const mayEnter = row.account_id !== null && (isPowerAdmin || row.is_member)
  const policies = mayEnter ? row.policies : []
  return {
    personId: row.person_id,
    email: row.email,
    userName: row.user_name,
    photoURL: row.photo_url,
    account: row.account_id,
    parent: row.parent_id,
    mayEnter,
    isPowerAdmin,
    isPowerUser: !isPowerAdmin && holdsEveryAction(policies),
    policies,
    preferences:
      row.menus && row.timeout_minutes ? { menus: row.menus, timeout: row.timeout_minutes } : defaultPreferences,
  }
}

/** The person as the portal's pages know them. */
export function toUser(access: Access): User {
  const { email, userName, photoURL, account, parent, isPowerAdmin, isPowerUser, preferences } = access
  const policies = policyNames(access.policies)
  return { email, userName, account, parent, isPowerAdmin, isPowerUser, photoURL, policies, preferences }
}
