import { z } from 'zod'
import { AccountEntry, AccountId } from './accounts.ts'
import { Instant } from './jobs.ts'
import { Preferences } from './preferences.ts'
import type { Route } from './route.ts'

export const User = z.object({
  email: z.string(),
  userName: z.string().nullable(),
  /** Null until an account is chosen. */
  account: AccountId.nullable(),
  /** The account's parent account. */
  parent: AccountId.nullable(),
  /** IANA name of the account's time zone, which determines the days of its contacts; null as `account`. */
  timeZone: z.string().nullable(),
  isPowerAdmin: z.boolean(),
  isPowerUser: z.boolean(),
  photoURL: z.string().nullable(),
  /** Names of the policies held and of the features they grant. */
  policies: z.array(z.string()),
  preferences: Preferences,
  /** Signed in by an impersonation link: the portal shows a banner in place of its bar. */
  isImpersonated: z.boolean(),
  /** Expiry of that link; null without one. */
  impersonatedUntil: Instant.nullable(),
})
export type User = z.output<typeof User>

/** Email and password, or, with two-factor on, the token from the first reply and a code. */
const LoginBody = z.union([
  z.strictObject({ email: z.string().min(1).max(320), password: z.string().min(1).max(1000) }),
  z.strictObject({ token: z.string().min(1).max(4000), code: z.string().trim().min(1).max(20) }),
])

const LoggedIn = z.object({
  isTwoFactor: z.literal(false),
  token: z.string(),
  user: User,
  accounts: z.array(AccountEntry),
})
/** The token is only valid for the second step, for five minutes. */
const CodeWanted = z.object({ isTwoFactor: z.literal(true), token: z.string() })

/** Facts about this installation for the sign-in page and the frame of every page. */
export const Deployment = z.object({
  company: z.string(),
  product: z.string(),
  helpUrl: z.string(),
  /** Ids of the modules that have an address (`MODULE_URLS`). */
  modules: z.array(z.string()),
  /** Where passkeys work: the origin of `PUBLIC_URL`. Null if browsers allow none there. */
  passkeyOrigin: z.string().nullable(),
})

export const signInApi = {
  getDeployment: {
    method: 'GET',
    path: '/identity/v1/deployment',
    summary: 'Get the names and links of this installation',
    access: 'public',
    reply: Deployment,
  },
  /** `password_temporary`: the portal generated the password. `details.link` is for `resetPassword`. */
  login: {
    method: 'POST',
    path: '/identity/v1/login',
    summary: 'Sign in with email and password; with two-factor, a second call sends the code',
    access: 'public',
    stores: false,
    body: LoginBody,
    reply: z.discriminatedUnion('isTwoFactor', [LoggedIn, CodeWanted]),
    errors: [
      'wrong_credentials',
      'password_temporary',
      'too_many_attempts',
      'too_many_requests',
      'no_account',
      'outside_limits',
    ],
  },
  chooseAccount: {
    method: 'GET',
    path: '/identity/v1/login/:account',
    summary: 'Enter an account: returns a token, the user and the preferences',
    access: 'person',
    // It records the account in the session and the time in the identity.
    stores: false,
    params: z.object({ account: AccountId }),
    reply: z.object({ token: z.string(), user: User, preferences: Preferences }),
    errors: ['not_found', 'signed_out_of_account', 'outside_limits', 'two_factor_needed'],
  },
  getUser: {
    method: 'GET',
    path: '/identity/v1/user',
    summary: 'Get the caller with their current permissions in the account',
    access: 'account',
    reply: User,
  },
  listModules: {
    method: 'GET',
    path: '/identity/v1/modules',
    summary: 'List the URLs of framed modules by module id',
    access: 'person',
    reply: z.record(z.string(), z.string()),
  },
  logout: {
    method: 'POST',
    path: '/identity/v1/logout',
    summary: 'Sign out of this session',
    access: 'person',
    stores: false,
    reply: z.null(),
    status: 204,
  },
  listAccounts: {
    method: 'GET',
    path: '/identity/v1/accounts',
    summary: 'List the accounts the caller may enter, by name',
    access: 'person',
    reply: z.array(AccountEntry),
  },
  getPolicies: {
    method: 'GET',
    path: '/identity/v1/identities/:email/:account/:parent',
    summary: "List the caller's policies and features in an account",
    access: 'person',
    params: z.object({ email: z.string(), account: AccountId, parent: z.string() }),
    query: z.object({ justPolicies: z.literal('true') }),
    reply: z.array(z.string()),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>
