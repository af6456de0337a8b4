/** Persons: names, email addresses and sign-in columns; which person an address finds. Owns the table persons. */
export { emailOrder, hasPassword, lacksTwoFactor, personColumns, personsAs } from './person-sql.ts'
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
