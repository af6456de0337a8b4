/**
 * Accounts: names, time zones, suspension and preferences, and the settings of the deployment. Owns the tables accounts
 * and deployment.
 */
export {
  accountFactColumns,
  accountsAs,
  accountVersionsStatement,
  requiresTwoFactor,
  zoneOfAccount,
} from './account-sql.ts'
export {
  type AccountDetails,
  type AccountRow,
  countUpContactsVersion,
  countUpFieldsVersion,
  countUpRemoteAccessVersion,
  familyOfAccount,
  parentOf,
  selectAccount,
  selectAccountDetails,
  selectUnrelatedNames,
} from './accounts.queries.ts'
export {
  accountTimeZone,
  changeAccount,
  createAccount,
  isAccountOpen,
  listAccounts,
  portal,
  requireAccount,
  requireAccountDetails,
} from './accounts.service.ts'
export { noteEvents } from './events-until.ts'
export { requireTwoFactorOf } from './deployment.service.ts'
export { preferenceRoutes } from './preferences.routes.ts'
export type { PreferenceChecks } from './preferences.service.ts'
export { type TwoFactorOf, twoFactorOf } from './tables.ts'
