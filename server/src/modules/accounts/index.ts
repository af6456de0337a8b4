/** Accounts: their names, time zones, preferences, and the settings of the deployment. What other modules may use. */
export { countUpFieldsVersion, selectAccount } from './accounts.queries.ts'
export {
  accountsOf,
  accountTimeZone,
  type Actor,
  createAccount,
  listAccounts,
  portal,
  requireAccount,
} from './accounts.service.ts'
export { type TwoFactorOf, twoFactorOf } from './deployment.queries.ts'
export { requireTwoFactorOf } from './deployment.service.ts'
export { type AccountDetails, selectAccountDetails, selectPreferences, updateAccount } from './preferences.queries.ts'
export { setPreferences } from './preferences.service.ts'
