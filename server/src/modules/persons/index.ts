/** The table of persons: names, e-mail addresses and what they sign in with; its rows only, no decisions. What other modules may use. */
export {
  insertPerson,
  type Person,
  type PersonDetails,
  selectGivenName,
  selectPerson,
  selectPersonById,
  selectPlaces,
  updateLastSignIn,
  updatePasswordHash,
  updatePhotoUrl,
  updateUserName,
} from './persons.queries.ts'
export {
  deleteRecoveryCodes,
  insertRecoveryCodes,
  selectRecoveryCodeHash,
  selectRecoveryCodesLeft,
  selectTwoFactor,
  updateRecoveryCodeUsed,
  updateTwoFactorOff,
  updateTwoFactorOn,
  updateTwoFactorSecret,
  updateTwoFactorStep,
} from './two-factor.queries.ts'
