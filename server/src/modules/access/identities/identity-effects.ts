import type { ApiCredential } from '@portico/contract/identities'
import type { AccountId } from '@portico/contract/accounts'
import type { Impersonation } from '@portico/contract/impersonation'
import type { Stages } from '@portico/contract/filter'
import type { Db } from '#platform/database.ts'

/**
 * The effects of a change of an identity on sessions, credentials and links. The modules that own them come later in
 * the order, so these functions are passed in where the routes are registered. All run in the caller's transaction.
 */
export type IdentityEffects = {
  /** Enqueues the invitation of a person to their identity in the account, or (null) in all accounts. */
  invite: (tx: Db, invitation: { personId: string; account: AccountId | null }) => Promise<void>
  /** Ends all sessions of a person. Returns how many there were. */
  endSessions: (tx: Db, personId: string) => Promise<number>
  /** The number of active sessions that have entered the account and started after `since` (null: at any time). */
  countSessions: (tx: Db, account: AccountId, of: { personId: string; since: Date | null }) => Promise<number>
  /** Revokes the impersonation links that a person has created in the account, or (null) in any account. */
  revokeLinks: (tx: Db, account: AccountId | null, personId: string) => Promise<unknown>
  deleteCredentials: (tx: Db, account: AccountId | null, identity: string) => Promise<void>
  /**
   * Checks a row rule by compiling it with the fields of the account.
   * @throws invalid_filter
   */
  checkRowRule: (db: Db, account: AccountId, rule: Stages) => Promise<void>
  /** The API credentials of the account's identities, and (`withGlobal`) of global ones, by the id of the identity. */
  listCredentials: (
    db: Db,
    account: AccountId,
    which: { withGlobal: boolean; identity?: string },
  ) => Promise<Map<string, ApiCredential[]>>
  /** The API credentials of these identities, by the id of the identity. */
  listCredentialsOf: (db: Db, identities: readonly string[]) => Promise<Map<string, ApiCredential[]>>
  /** The active sessions of a person, the latest activity first. */
  listSessions: (db: Db, personId: string) => Promise<ListedSession[]>
  /** The active impersonation links of a person in all accounts, newest first. */
  listLinks: (db: Db, personId: string) => Promise<ListedLink[]>
}

export type ListedSession = {
  id: string
  /** In words, such as `Chrome on Windows`. */
  device: string
  address: string
  createdAt: Date
  lastSeenAt: Date
  /** Accounts entered with it. */
  accounts: AccountId[]
}

export type ListedLink = Omit<Impersonation, 'creator'> & { account: AccountId }
