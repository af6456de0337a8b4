import { z } from 'zod'
import { Email } from './email-schemas.ts'
import { messages } from './messages.ts'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'

/** The account's positive number (`Key` on the wire). */
export const AccountId = z.coerce.number().int().positive().max(2_147_483_647)
export type AccountId = z.output<typeof AccountId>

/** An account as pickers show it (specification 1 §3). */
export const AccountEntry = z.object({
  Key: AccountId,
  Value: z.string(),
  /** Its parent account; absent if it has none. */
  parent: AccountId.optional(),
})
export type AccountEntry = z.output<typeof AccountEntry>

/** An account as power admins see it. */
export const Account = z.object({
  Key: AccountId,
  /** Counts the saves of its name, time zone and suspension. */
  version: Version,
  Value: z.string(),
  parent: z.object({ Key: AccountId, Value: z.string() }).nullable(),
  /** IANA name, such as Europe/Zurich. */
  timeZone: z.string(),
  /** Only power admins may enter a suspended account; its API credentials and links are refused. */
  isSuspended: z.boolean(),
  createdAt: Instant,
  /** Number of its identities, without global ones. */
  identities: z.number().int(),
  /** Emails of its power users, at most ten. */
  powerUsers: z.array(z.string()),
})
export type Account = z.output<typeof Account>

const AccountName = z.string().trim().min(1, messages.required).max(100, 'Name should have at most 100 characters')
const TimeZone = z.string().refine(isTimeZone, 'There is no such time zone.')

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export const NewAccount = z.strictObject({
  name: AccountName,
  /** An account that is not a sub-account itself. */
  parent: AccountId.nullable().default(null),
  timeZone: TimeZone.default('UTC'),
  /** Becomes the account's first power user, invited by email. */
  powerUser: Email.optional(),
})
export type NewAccount = z.input<typeof NewAccount>

export const AccountChanges = z.strictObject({
  name: AccountName.optional(),
  timeZone: TimeZone.optional(),
  isSuspended: z.boolean().optional(),
  ...versionOfChange,
})
export type AccountChanges = z.input<typeof AccountChanges>

const params = z.object({ id: AccountId })

export const accountsApi = {
  listAccountDetails: {
    method: 'GET',
    path: '/identity/v1/accounts/details',
    summary: 'List all accounts by name',
    access: 'power-admin',
    action: 'identity::accounts::get',
    reply: z.array(Account),
  },
  getAccount: {
    method: 'GET',
    path: '/identity/v1/accounts/:id',
    summary: 'Get an account',
    access: 'power-admin',
    action: 'identity::accounts::get',
    params,
    reply: Account,
    errors: ['not_found'],
  },
  createAccount: {
    method: 'POST',
    path: '/identity/v1/accounts',
    summary: 'Create an account and invite its first power user',
    access: 'power-admin',
    action: 'identity::accounts::post',
    stores: { what: 'access', does: 'create accounts' },
    body: NewAccount,
    reply: Account,
    status: 201,
    errors: ['name_taken', 'not_found', 'password_needed'],
  },
  updateAccount: {
    method: 'PUT',
    path: '/identity/v1/accounts/:id',
    summary: 'Rename an account, change its time zone, suspend or resume it',
    access: 'power-admin',
    action: 'identity::accounts::put',
    stores: {
      what: 'access',
      does: 'resume accounts or change their time zone',
      onlyWith: { isSuspended: [false], timeZone: 'given' },
    },
    params,
    body: AccountChanges,
    reply: Account,
    errors: ['name_taken', 'not_found', 'newer_version'],
  },
  addPowerUser: {
    method: 'POST',
    path: '/identity/v1/accounts/:id/power-users',
    summary: 'Add a power user to an account; new users are invited by email',
    access: 'power-admin',
    action: 'identity::identities::post',
    stores: { what: 'access', does: 'invite people' },
    params,
    body: z.strictObject({
      email: Email,
      /** Lets them into all its sub-accounts as well. Only for accounts that are not sub-accounts. */
      accessToAllSubAccounts: z.boolean().default(false),
    }),
    reply: Account,
    status: 201,
    errors: ['name_taken', 'not_found', 'limit_reached', 'password_needed'],
  },
} as const satisfies Record<string, Route>
