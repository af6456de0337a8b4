/** Persons: names, email addresses and sign-in columns; which person an address finds; their passkeys. Owns the tables. */
export {
  deletePasskey,
  deletePasskeys,
  findOrAddHandle,
  insertPasskey,
  type PasskeyRow,
  selectHasPasskey,
  selectPasskeyByCredential,
  selectPasskeys,
  updatePasskeyName,
  updatePasskeyUsed,
} from './passkeys.queries.ts'
export { emailOrder, hasPassword, lacksFactors, lacksTwoFactor, personColumns, personsAs } from './person-sql.ts'
export { changeEmail, requirePersonWith } from './persons.service.ts'
export {
  lockPerson,
  lockPersonDetails,
  type Person,
  type PersonDetails,
  selectConflicts,
  selectPerson,
  selectPersonById,
  selectPhotoUrls,
  updateLastSignIn,
  updatePasswordHash,
  updateProfile,
  updateUserName,
} from './persons.queries.ts'
export {
  selectSealedTwoFactor,
  selectTwoFactor,
  updateSealedTwoFactor,
  updateTwoFactorOff,
  updateTwoFactorOn,
  updateTwoFactorSecret,
  updateTwoFactorStep,
} from './two-factor.queries.ts'
