import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import type { Policy } from './granted-actions.ts'
import type { Limits } from './limit.ts'

/** A policy, and the groups through which it is held. */
export type HeldPolicy = Policy & {
  id: string
  isAdmin: boolean
  groups: string[]
  /** Held through a group that the identity was put in, not through `everyone` alone. */
  isAssigned: boolean
}

/**
 * An identity that gives access to the account: its own, one of its parent with access to all sub-accounts, or a global
 * one.
 */
export type HeldIdentity = Limits & {
  id: string
  /** Null for a global one. */
  account: AccountId | null
  /**
   * IANA time zone of its days and hours: its account's, or for a global identity that of the portal's first account.
   * Entering an account in another zone does not move them. Null without days and hours.
   */
  homeZone: string | null
  userName: string | null
  isDisabled: boolean
  /** Belongs to a group of administrators. */
  isAdmin: boolean
  accessToAllSubAccounts: boolean
  /** The contacts that it may see; null for all contacts. */
  rowRule: Stages | null
  /** Through its groups and the group `everyone`. */
  policies: HeldPolicy[]
}
