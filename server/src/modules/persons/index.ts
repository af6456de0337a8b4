/** Persons: names, email addresses and sign-in columns; rows only, no decisions. Owns the table persons. */
export { hasPassword, lacksTwoFactor, personColumns, personsAs } from './person-sql.ts'
export {
  findOrAddPerson,
  insertPerson,
  type Person,
  type PersonDetails,
  selectPerson,
  selectPersonById,
  selectPhotoUrls,
  updateLastSignIn,
  updatePasswordHash,
  updatePhotoUrl,
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
