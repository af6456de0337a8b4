import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

export async function insertRecoveryCodes(db: Db, personId: string, hashes: string[]): Promise<void> {
  await control<Tables>(db)
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ person_id: personId, code_hash: hash, used_at: null })))
    .execute()
}

export async function deleteRecoveryCodes(db: Db, personId: string): Promise<void> {
  await control<Tables>(db).deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
}

/** The hash of any unused code; all codes of a person share one salt. Null when none is left. */
export async function selectRecoveryCodeHash(db: Db, personId: string): Promise<string | null> {
  const found = await control<Tables>(db)
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found?.code_hash ?? null
}

/** Uses up the code with one of these hashes. Returns false if there is none, or it was already used. */
export async function updateRecoveryCodeUsed(
  db: Db,
  personId: string,
  hashes: readonly string[],
  at: Date,
): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('recovery_codes')
    .set({ used_at: at })
    .where('person_id', '=', personId)
    .where('code_hash', 'in', [...hashes])
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Counts the unused codes. */
export async function selectRecoveryCodesLeft(db: Db, personId: string): Promise<number> {
  const rows = await control<Tables>(db)
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .execute()
  return rows.length
}
