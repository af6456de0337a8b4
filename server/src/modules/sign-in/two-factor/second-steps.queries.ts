import { control, type Db } from '#platform/database.ts'

type SecondStepTables = {
  second_steps: { token_hash: string; person_id: string; expires_at: Date; wrong_codes: number }
}

export async function insertSecondStep(db: Db, tokenHash: string, personId: string, expiresAt: Date): Promise<void> {
  await control<SecondStepTables>(db)
    .insertInto('second_steps')
    .values({ token_hash: tokenHash, person_id: personId, expires_at: expiresAt, wrong_codes: 0 })
    .execute()
}

/** Whose sign-in waits for a code under this token; null when it has expired or nobody's does. */
export async function selectSecondStep(db: Db, tokenHash: string, now: Date): Promise<string | null> {
  const found = await control<SecondStepTables>(db)
    .selectFrom('second_steps')
    .select('person_id')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return found?.person_id ?? null
}

/** Counts a code before it is looked at. Answers how many there were with it; null when there were `allowed` before. */
export async function updateCodesTried(db: Db, tokenHash: string, allowed: number): Promise<number | null> {
  const updated = await control<SecondStepTables>(db)
    .updateTable('second_steps')
    .set((column) => ({ wrong_codes: column('wrong_codes', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .where('wrong_codes', '<', allowed)
    .returning('wrong_codes')
    .executeTakeFirst()
  return updated?.wrong_codes ?? null
}

/** Answers false when it is gone: somebody has used it. */
export async function deleteSecondStep(db: Db, tokenHash: string): Promise<boolean> {
  const deleted = await control<SecondStepTables>(db)
    .deleteFrom('second_steps')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

export async function deleteExpiredSecondSteps(db: Db, personId: string, now: Date): Promise<void> {
  await control<SecondStepTables>(db)
    .deleteFrom('second_steps')
    .where('person_id', '=', personId)
    .where('expires_at', '<=', now)
    .execute()
}

/** Removes the second steps of a person, whoever has begun them. */
export async function deleteSecondSteps(db: Db, personId: string): Promise<void> {
  await control<SecondStepTables>(db).deleteFrom('second_steps').where('person_id', '=', personId).execute()
}
