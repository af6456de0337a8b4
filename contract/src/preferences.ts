import { z } from 'zod'
import { AccountId } from './accounts.ts'
import type { Route } from './route.ts'
import { Version } from './versions.ts'

/** Menu visibility lists by menu name, and the minutes of inactivity after which a user is signed out. */
export const Preferences = z.object({
  menus: z.record(z.string(), z.array(z.string())),
  timeout: z.number().int().positive(),
  /** A full-screen dashboard that refreshes itself keeps its user signed in, up to the maximum length of a session. */
  fullScreenIsActivity: z.boolean().optional(),
})
export type Preferences = z.output<typeof Preferences>

/** Names of the menus in `preferences.menus` (specification 2 §9). The home menu is always shown. */
export const menuNames = [
  'home',
  'dashboards',
  'campaigns',
  'assets',
  'crm',
  'marketintel',
  'contactservice',
  'settings',
] as const

/** Minutes without activity after which a user is signed out. */
export const timeoutMinutes = [30, 60, 90, 120, 150, 180] as const

/** Requirements of an account for its users, and the visibility of its menus. */
export const AccountPreferences = Preferences.extend({
  /** Users without two-factor must set it up before they can use the account. */
  requiresTwoFactor: z.boolean(),
  version: Version,
})
export type AccountPreferences = z.output<typeof AccountPreferences>

export const preferencesApi = {
  /**
   * `Preference` is JSON text of `{menus, timeout, requiresTwoFactor, fullScreenIsActivity, version}`.
   * `requiresTwoFactor` and `fullScreenIsActivity` are unchanged if absent, and without `version` the last save wins.
   * Problems are reported in `Result`, with status 200, as clients of this old call expect; an older version is an
   * error, as in other calls.
   */
  setAccountPreference: {
    method: 'POST',
    path: '/account/v1/SetAccountPreference',
    summary: 'Set menu visibility, inactivity timeout and required two-factor of the account',
    access: 'administrator',
    action: 'account::preferences::put',
    stores: { what: 'access', does: 'change preferences of the account' },
    body: z.strictObject({ AccountID: AccountId, IdentityToken: z.string(), Preference: z.string().max(200_000) }),
    reply: z.object({
      Result: z.object({
        ErrorCode: z.string().optional(),
        ErrorMessage: z.string().optional(),
        ExceptionMessage: z.string().optional(),
      }),
    }),
    errors: ['newer_version'],
  },
  getAccountPreference: {
    method: 'GET',
    path: '/account/v1/AccountPreference',
    summary: 'Get menu visibility, inactivity timeout and required two-factor of the account',
    access: 'administrator',
    action: 'account::preferences::get',
    reply: AccountPreferences,
  },
} as const satisfies Record<string, Route>
