/** Persons: names, email addresses and sign-in columns; rows only, no decisions. Owns the table persons. */
export { hasPassword, lacksTwoFactor, personColumns, personsAs } from './person-sql.ts'
export {
  findOrAddPerson,
  insertPerson,
  lockPerson,
  type Person,
  type PersonDetails,
  selectPerson,
  selectPersonById,
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
