import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

export async function insertSecondStep(db: Db, tokenHash: string, personId: string, expiresAt: Date): Promise<void> {
  await control<Tables>(db)
    .insertInto('second_steps')
    .values({ token_hash: tokenHash, person_id: personId, expires_at: expiresAt, wrong_codes: 0 })
    .execute()
}

/** Returns the id of the person who signs in with this token; null if it does not exist or has expired. */
export async function selectSecondStep(db: Db, tokenHash: string, now: Date): Promise<string | null> {
  const found = await control<Tables>(db)
    .selectFrom('second_steps')
    .select('person_id')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return found?.person_id ?? null
}

/** Counts a code before it is checked. Returns the new count; null if there were already `allowed` codes. */
export async function updateCodesTried(db: Db, tokenHash: string, allowed: number): Promise<number | null> {
  const updated = await control<Tables>(db)
    .updateTable('second_steps')
    .set((column) => ({ wrong_codes: column('wrong_codes', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .where('wrong_codes', '<', allowed)
    .returning('wrong_codes')
    .executeTakeFirst()
  return updated?.wrong_codes ?? null
}

/** Returns false when it was already used. */
export async function deleteSecondStep(db: Db, tokenHash: string): Promise<boolean> {
  const deleted = await control<Tables>(db)
    .deleteFrom('second_steps')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

export async function deleteExpiredSecondSteps(db: Db, personId: string, now: Date): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('second_steps')
    .where('person_id', '=', personId)
    .where('expires_at', '<=', now)
    .execute()
}

/** Deletes all second steps of a person. */
export async function deleteSecondSteps(db: Db, personId: string): Promise<void> {
  await control<Tables>(db).deleteFrom('second_steps').where('person_id', '=', personId).execute()
}
