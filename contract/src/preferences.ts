import { z } from 'zod'
import { Preferences } from './identity.ts'
import { AccountId } from './identity.ts'
import type { Route } from './route.ts'

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

export const preferencesApi = {
  /**
   * `Preference` is JSON text of `{menus, timeout}`. What is wrong with it stands in `Result`, with status 200, as
   * clients of this old call expect.
   */
  setAccountPreference: {
    method: 'POST',
    path: '/account/v1/SetAccountPreference',
    summary: 'Set menu visibility and inactivity timeout of the account',
    access: 'administrator',
    body: z.strictObject({ AccountID: AccountId, IdentityToken: z.string(), Preference: z.string().max(200_000) }),
    reply: z.object({
      Result: z.object({
        ErrorCode: z.string().optional(),
        ErrorMessage: z.string().optional(),
        ExceptionMessage: z.string().optional(),
      }),
    }),
  },
  getAccountPreference: {
    method: 'GET',
    path: '/account/v1/AccountPreference',
    summary: 'Menu visibility and inactivity timeout of the account',
    access: 'administrator',
    reply: Preferences,
  },
} as const satisfies Record<string, Route>
