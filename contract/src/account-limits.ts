import { maxCredentials } from './identities.ts'
import { maxSenders } from './senders.ts'

type Limit = {
  most: number
  /** In the message: 'An account has at most 1,000 {what}.' */
  what: string
  /** The way out, as a sentence. */
  fix: string
  /** The holder whose things are counted; the account by default. */
  holder?: string
  /** The API calls that create one. */
  calls: readonly string[]
}

/**
 * The maximum of each thing that users create and that some call reads or evaluates as a whole: without a limit, one
 * account could slow down all others. An account that has more from an earlier release keeps them, but cannot create
 * further ones.
 */
export const accountLimits = {
  contactFields: {
    most: 5000,
    what: 'fields of contacts',
    fix: 'Use one that it has, or delete one that is not needed.',
    calls: ['createImport', 'restoreField'],
  },
  eventFields: {
    most: 2000,
    what: 'custom event fields',
    fix: 'Use one that it has, or remove one that no event has.',
    calls: ['recordEvents', 'addEventField', 'createImport'],
  },
  customIndexes: {
    most: 100,
    what: 'indexes of its own',
    fix: 'Delete one that is not needed.',
    calls: ['createIndex'],
  },
  savedFilters: {
    most: 1000,
    what: 'saved filters',
    fix: 'Delete one that is not needed.',
    calls: ['createSavedFilter'],
  },
  dashboards: {
    most: 1000,
    what: 'dashboards',
    fix: 'Delete one that is not needed.',
    calls: ['createDashboard'],
  },
  crons: {
    most: 1000,
    what: 'crons that are not terminated',
    fix: 'Terminate one that is not needed.',
    calls: ['createCron'],
  },
  unendedImports: {
    most: 1000,
    what: 'imports that have not ended',
    fix: 'Wait for one to end, or cancel it.',
    calls: ['createImport'],
  },
  unendedExports: {
    most: 1000,
    what: 'exports that have not ended',
    fix: 'Wait for one to end, or cancel it.',
    calls: ['createExport'],
  },
  /** A search for a file by its name asks the storage for each. */
  openUploads: {
    most: 200,
    what: 'links for uploads that are not used',
    fix: 'Use one, or wait: a link ends after an hour.',
    holder: 'A person',
    calls: ['createUpload'],
  },
  /** Each public request is compared with all of them. */
  remoteAccesses: {
    most: 200,
    what: 'remote accesses',
    fix: 'Delete one that is not needed.',
    calls: ['createRemoteAccess'],
  },
  senders: {
    most: maxSenders,
    what: 'senders',
    fix: 'Delete one that is not needed.',
    calls: ['requestSender'],
  },
  identities: {
    most: 5000,
    what: 'identities',
    fix: 'Delete one that is not needed.',
    calls: ['createIdentity', 'addPowerUser'],
  },
  credentials: {
    most: maxCredentials,
    what: 'API credentials',
    fix: 'Delete one that is not needed.',
    holder: 'An identity',
    calls: ['changeCredential', 'changeOwnCredential'],
  },
  impersonations: {
    most: 10_000,
    what: 'impersonation links that work',
    fix: 'Revoke one, or wait for one to expire.',
    calls: ['impersonate', 'impersonateWithPolicies'],
  },
  policies: {
    most: 1000,
    what: 'policies',
    fix: 'Delete one that is not needed.',
    calls: ['createPolicy'],
  },
  groups: {
    most: 1000,
    what: 'groups',
    fix: 'Delete one that is not needed.',
    calls: ['createGroup'],
  },
} as const satisfies Record<string, Limit>

export type LimitedThing = keyof typeof accountLimits

/**
 * Returns the limit and the fix in words. Things that belong to no account (`isGlobal`) have a separate, equal limit.
 */
export function limitInWords(thing: LimitedThing, isGlobal = false): string {
  const { most, what, fix, holder = 'An account' }: Limit = accountLimits[thing]
  return `${isGlobal ? 'The portal' : holder} has at most ${most.toLocaleString('en-US')} ${what}. ${fix}`
}
