/** Persons: names, e-mail addresses and the columns that they sign in with; rows only, no decisions. Owns the table persons. */
export { hasPassword, lacksTwoFactor, personColumns, personsAs } from './person-sql.ts'
export {
  findOrAddPerson,
  insertPerson,
  type Person,
  type PersonDetails,
  selectPerson,
  selectPersonById,
  updateLastSignIn,
  updatePasswordHash,
  updatePhotoUrl,
  updateUserName,
} from './persons.queries.ts'
export {
  selectTwoFactor,
  updateTwoFactorOff,
  updateTwoFactorOn,
  updateTwoFactorSecret,
  updateTwoFactorStep,
} from './two-factor.queries.ts'
