import type { AccountId } from '@portico/contract/accounts'

// The keys of all advisory locks. The numbers are arbitrary but must not change: processes of two releases may run
// during an update. Locks of jobs have two numbers, account and job, which PostgreSQL keeps apart from these.

const ofPortal = {
  migration: 7_215_093n,
  bootstrap: 7_215_094n,
  /** Taken in the database `postgres`; all others in the portal's. */
  preparation: 7_215_095n,
  /**
   * People of all accounts wait for it. So it comes last: locks of an account, and rows of its work, are taken before it.
   * Under it nothing waits for such rows.
   */
  access: 7_215_096n,
  demo: 7_215_100n,
} as const

const ofAccounts = {
  indexes: 7_215_095n,
  remoteAccesses: 7_215_096n,
  dashboards: 7_215_098n,
  senders: 7_215_099n,
  // Things that an account may have a limited number of.
  customIndexes: 7_215_106n,
  eventFields: 7_215_101n,
  savedFilters: 7_215_102n,
  crons: 7_215_103n,
  unendedImports: 7_215_104n,
  unendedExports: 7_215_105n,
  openUploads: 7_215_110n,
  fieldChanges: 7_215_107n,
  /** Guards which columns hold the fields of contacts; shared by changes of single contacts. */
  fieldColumns: 7_215_108n,
  importDefaults: 7_215_109n,
} as const

export const portalLocks = Object.keys(ofPortal) as (keyof typeof ofPortal)[]
export const accountLocks = Object.keys(ofAccounts) as (keyof typeof ofAccounts)[]

/** Returns the key of a lock of the whole portal. */
export const portalLock = (name: keyof typeof ofPortal): bigint => ofPortal[name]

/** Whether all accounts wait for a lock with this key. */
export const isPortalWide = (key: bigint): boolean => portalLocks.some((name) => ofPortal[name] === key)

/** Returns the key of the lock of one account. */
export const accountLock = (name: keyof typeof ofAccounts, account: AccountId): bigint =>
  (ofAccounts[name] << 32n) + BigInt(account)
