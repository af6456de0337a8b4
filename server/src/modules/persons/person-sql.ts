// SQL fragments for statements of other modules that join a person: only this file knows the table and its columns.

/** The table of persons under an alias, for FROM and JOIN. */
export const personsAs = (alias: string): string => `portico.persons ${alias}`

/** The person columns that every request reads. */
export const personColumns = (p: string): string => `${p}.id AS person_id, ${p}.email, ${p}.user_name, ${p}.photo_url`

/** Sorts persons by their address, ignoring letter case. */
export const emailOrder = (p: string): string => `coalesce(${p}.email_key, ${p}.email)`

/** Whether a password alone signs the person in. */
export const lacksTwoFactor = (p: string): string => `${p}.two_factor_since IS NULL`

/** Whether the person has no second factor: neither two-factor nor a passkey. Sessions ask what was shown in them. */
export const lacksFactors = (p: string): string =>
  `(${lacksTwoFactor(p)} AND NOT EXISTS (SELECT FROM portico.passkeys pk WHERE pk.person_id = ${p}.id))`

export const hasPassword = (p: string): string => `${p}.password_hash IS NOT NULL`
