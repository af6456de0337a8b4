import { z } from 'zod'
import { AccountEntry, AccountId } from './accounts.ts'
import { Email } from './email-schemas.ts'
import { Identity } from './identities.ts'
import { Impersonation } from './impersonation.ts'
import { Instant } from './jobs.ts'
import { countedPage } from './list-query.ts'
import { messages } from './messages.ts'
import type { Route } from './route.ts'

/**
 * `disabled`: all identities that the caller administers; `partly-disabled`: some of them; `invited`: the person has
 * accepted none, or has not chosen a password.
 */
export const PersonState = z.enum(['active', 'partly-disabled', 'disabled', 'invited'])
export type PersonState = z.output<typeof PersonState>

/** A person, with figures of the identities that the caller administers. */
export const Person = z.object({
  _id: z.string(),
  email: z.string(),
  userName: z.string().nullable(),
  /** The number of accounts with an identity of theirs; a global identity does not count. */
  accounts: z.int(),
  /** They have an identity in all accounts. Always false for power users. */
  isGlobal: z.boolean(),
  /** Null for never. For power users: into an account of theirs. */
  lastSignInAt: Instant.nullable(),
  /** Null for power users while the person has accepted none of their invitations. */
  hasTwoFactor: z.boolean().nullable(),
  state: PersonState,
})
export type Person = z.output<typeof Person>

/** An identity in its account (null: global). `canBeChanged`: the caller may act on the person in People. */
const IdentityOfPerson = Identity.extend({ account: AccountEntry.nullable() })
export type IdentityOfPerson = z.output<typeof IdentityOfPerson>

const SessionOfPerson = z.object({
  _id: z.string(),
  /** In words, such as `Chrome on Windows`. */
  device: z.string(),
  address: z.string(),
  createdAt: Instant,
  /** Null for power users: it may have been in another account. */
  lastSeenAt: Instant.nullable(),
  /** Names of accounts entered with it, of those that the caller administers. */
  accounts: z.array(z.string()),
})
export type SessionOfPerson = z.output<typeof SessionOfPerson>

export const PersonDetails = Person.extend({
  /** It is the caller's own: they cannot act on it, except to hand over. */
  isOwn: z.boolean(),
  /** The global one first, then by name of the account. */
  identities: z.array(IdentityOfPerson),
  /** Active ones, the latest first. For power users: those that have entered an account of theirs. */
  sessions: z.array(SessionOfPerson),
  /** Active impersonation links that they created in accounts of the caller. */
  links: z.array(Impersonation.omit({ creator: true }).extend({ account: z.string() })),
})
export type PersonDetails = z.output<typeof PersonDetails>

/** Work that a person leaves behind, which acts by the right of who saved it. */
export const OwnedKind = z.enum(['dashboard', 'cron', 'saved-filter'])
export type OwnedKind = z.output<typeof OwnedKind>

export const OwnedItem = z.object({
  kind: OwnedKind,
  _id: z.string(),
  name: z.string(),
  account: AccountEntry,
  /** Why it stays: the receiver could not save it as it is. Null if it moves. */
  refusal: z.string().nullable(),
})
export type OwnedItem = z.output<typeof OwnedItem>

/** The most items of one kind that are listed, and that move, in one step. */
export const mostHandedOver = 500

/** Accounts, groups and domains of the people whom the caller administers. */
export const PeopleFilters = z.object({
  accounts: z.array(AccountEntry),
  /** `account`: the name of its account; null for a global group. */
  groups: z.array(z.object({ _id: z.string(), name: z.string(), account: z.string().nullable() })),
  /** By frequency, at most a hundred. */
  domains: z.array(z.string()),
  /**
   * Number of accounts that are left out, in all calls about people, because they require a second factor and the
   * session has not shown one.
   */
  closedAccounts: z.number(),
})
export type PeopleFilters = z.output<typeof PeopleFilters>

export const peopleOrders = ['email', 'userName', 'accounts', 'lastSignInAt', 'state'] as const
export type PeopleOrder = (typeof peopleOrders)[number]

export const PeopleQuery = z.strictObject({
  search: z.string().trim().max(200).default('').describe('Part of the email or the name.'),
  state: PersonState.optional(),
  signIn: z.enum(['never']).optional().describe('`never`: has not signed in yet.'),
  twoFactor: z.enum(['off']).optional().describe('`off`: has not set it up.'),
  account: AccountId.optional().describe('Has an identity in this account.'),
  group: z.string().optional().describe('Id of a group of one of their identities.'),
  domain: z.string().trim().max(255).optional().describe('Domain of the email, as `getPeopleFilters` lists it.'),
  sort: z.enum(peopleOrders).default('email'),
  order: z.enum(['asc', 'desc']).default('asc'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
export type PeopleQuery = z.output<typeof PeopleQuery>

const params = z.object({ id: z.string() })
const path = '/identity/v1/people'
const chosen = z.array(z.string()).min(1, messages.required).max(1000)

/** All that one call lists can be chosen. */
const handedOver = z
  .array(z.string())
  .min(1, messages.required)
  .max(OwnedKind.options.length * mostHandedOver)

/** The receiver of what a person owns. */
const Receiver = z.strictObject({ email: Email })

// Power admins see and change the identities of all accounts; power users of a main account those in it and, with
// access to all sub-accounts, in these; never global ones. All calls act on more than their requests name, so they need
// rights without conditions. They are refused in sub-accounts.
export const peopleApi = {
  listPeople: {
    method: 'GET',
    path,
    summary:
      'List people across accounts: as a power admin of all, as a power user of the account and its sub-accounts',
    access: 'administrator',
    action: 'identity::people::get',
    isUnconditional: true,
    query: PeopleQuery,
    reply: countedPage(Person),
  },
  getPeopleFilters: {
    method: 'GET',
    path: `${path}/filters`,
    summary: 'List the accounts, groups and email domains by which people can be listed',
    access: 'administrator',
    action: 'identity::people::get',
    isUnconditional: true,
    reply: PeopleFilters,
  },
  getPerson: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a person with their identities, sessions, API credentials and impersonation links',
    access: 'administrator',
    action: 'identity::people::get',
    isUnconditional: true,
    params,
    reply: PersonDetails,
    errors: ['not_found'],
  },
  /** Needs a confirmed password to enable. */
  setPersonState: {
    method: 'PUT',
    path: `${path}/:id/state`,
    summary: 'Disable or enable all identities of a person that the caller administers, effective immediately',
    access: 'administrator',
    action: 'identity::people::put',
    isUnconditional: true,
    stores: { what: 'access', does: 'enable people', onlyWith: { isDisabled: [false] } },
    params,
    body: z.strictObject({ isDisabled: z.boolean() }),
    reply: z.object({ changed: z.int() }),
    errors: ['not_found', 'in_use', 'password_needed'],
  },
  endPersonSessions: {
    method: 'DELETE',
    path: `${path}/:id/sessions`,
    summary:
      'Sign a person out: as a power admin everywhere, as a power user of the accounts that the caller administers',
    access: 'administrator',
    action: 'identity::people::put',
    isUnconditional: true,
    stores: false,
    params,
    reply: z.object({ ended: z.int() }),
    errors: ['not_found', 'in_use'],
  },
  revokePersonSecrets: {
    method: 'DELETE',
    path: `${path}/:id/secrets`,
    summary: 'Delete the API credentials and end the impersonation links of a person',
    access: 'administrator',
    action: 'identity::people::put',
    isUnconditional: true,
    stores: false,
    params,
    reply: z.object({ credentials: z.int(), links: z.int() }),
    errors: ['not_found', 'in_use'],
  },
  removePerson: {
    method: 'POST',
    path: `${path}/:id/removal`,
    summary: 'Delete chosen identities of a person with their API credentials and impersonation links',
    access: 'administrator',
    action: 'identity::people::delete',
    isUnconditional: true,
    stores: false,
    params,
    body: z.strictObject({ identities: chosen }),
    reply: z.object({ removed: z.int() }),
    errors: ['not_found', 'in_use'],
  },
  previewHandOver: {
    method: 'POST',
    path: `${path}/:id/hand-over/preview`,
    summary:
      'List the dashboards, crons and saved filters of a person that another person may take on, and those that stay, 500 of each',
    access: 'administrator',
    action: 'identity::people::put',
    isUnconditional: true,
    stores: false,
    params,
    body: Receiver.extend({
      skip: z.int().min(0).max(100_000).default(0).describe('How many of each kind come before the listed ones.'),
    }),
    reply: z.array(OwnedItem),
    errors: ['not_found'],
  },
  /** Needs a confirmed password. Items that the receiver may not save stay, as do those that have changed since. */
  handOver: {
    method: 'POST',
    path: `${path}/:id/hand-over`,
    summary:
      'Make another person the owner of chosen dashboards, crons and saved filters, which then act by their rights',
    access: 'administrator',
    action: 'identity::people::put',
    isUnconditional: true,
    stores: { what: 'access', does: 'hand over what people own' },
    params,
    body: Receiver.extend({ items: handedOver.describe('Ids of the items, as `previewHandOver` lists them.') }),
    reply: z.object({ moved: z.array(OwnedItem), stayed: z.array(OwnedItem) }),
    errors: ['not_found', 'password_needed'],
  },
} as const satisfies Record<string, Route>
