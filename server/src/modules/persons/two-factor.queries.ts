import { control, type Db } from '#platform/database.ts'

type TwoFactorTables = {
  persons: {
    id: string
    two_factor_secret: string | null
    two_factor_since: Date | null
    /** int8: a text. */
    two_factor_last_step: string | number | null
  }
  recovery_codes: { person_id: string; code_hash: string; used_at: Date | null }
}

/** The sealed secret of the app; null before one was made. `since`: null until a code of it was confirmed. */
export async function selectTwoFactor(
  db: Db,
  personId: string,
): Promise<{ secret: string | null; since: Date | null } | null> {
  const found = await control<TwoFactorTables>(db)
    .selectFrom('persons')
    .select(['two_factor_secret as secret', 'two_factor_since as since'])
    .where('id', '=', personId)
    .executeTakeFirst()
  return found ?? null
}

/** Puts a new secret in place of one that was not confirmed. Answers false when two-factor is on. */
export async function updateTwoFactorSecret(db: Db, personId: string, secret: string): Promise<boolean> {
  const updated = await control<TwoFactorTables>(db)
    .updateTable('persons')
    .set({ two_factor_secret: secret, two_factor_last_step: null })
    .where('id', '=', personId)
    .where('two_factor_since', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Answers false when it is on already. */
export async function updateTwoFactorOn(db: Db, personId: string, since: Date): Promise<boolean> {
  const updated = await control<TwoFactorTables>(db)
    .updateTable('persons')
    .set({ two_factor_since: since })
    .where('id', '=', personId)
    .where('two_factor_since', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function updateTwoFactorOff(db: Db, personId: string): Promise<void> {
  await control<TwoFactorTables>(db)
    .updateTable('persons')
    .set({ two_factor_secret: null, two_factor_since: null, two_factor_last_step: null })
    .where('id', '=', personId)
    .execute()
}

/** Uses the code of a step up. Answers false when a code of it, or of a later one, was used before. */
export async function updateTwoFactorStep(db: Db, personId: string, step: number): Promise<boolean> {
  const updated = await control<TwoFactorTables>(db)
    .updateTable('persons')
    .set({ two_factor_last_step: step })
    .where('id', '=', personId)
    .where((where) => where.or([where('two_factor_last_step', 'is', null), where('two_factor_last_step', '<', step)]))
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function insertRecoveryCodes(db: Db, personId: string, hashes: string[]): Promise<void> {
  await control<TwoFactorTables>(db)
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ person_id: personId, code_hash: hash, used_at: null })))
    .execute()
}

export async function deleteRecoveryCodes(db: Db, personId: string): Promise<void> {
  await control<TwoFactorTables>(db).deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
}

/** The hash of any code that has not been used: all of a person's have one salt. Null when none is left. */
export async function selectRecoveryCodeHash(db: Db, personId: string): Promise<string | null> {
  const found = await control<TwoFactorTables>(db)
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found?.code_hash ?? null
}

/** Answers false when there is no such code, or it was used before. */
export async function updateRecoveryCodeUsed(db: Db, personId: string, hash: string, at: Date): Promise<boolean> {
  const updated = await control<TwoFactorTables>(db)
    .updateTable('recovery_codes')
    .set({ used_at: at })
    .where('person_id', '=', personId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** How many codes have not been used. */
export async function selectRecoveryCodesLeft(db: Db, personId: string): Promise<number> {
  const rows = await control<TwoFactorTables>(db)
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .execute()
  return rows.length
}
