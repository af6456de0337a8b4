import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

/** The sealed secret of the authenticator app, null before setup. `since` is null until the first code is confirmed. */
export async function selectTwoFactor(
  db: Db,
  personId: string,
): Promise<{ secret: string | null; since: Date | null } | null> {
  const found = await control<Tables>(db)
    .selectFrom('persons')
    .select(['two_factor_secret as secret', 'two_factor_since as since'])
    .where('id', '=', personId)
    .executeTakeFirst()
  return found ?? null
}

/** Replaces an unconfirmed secret. Returns false if two-factor is on. */
export async function updateTwoFactorSecret(db: Db, personId: string, secret: string): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('persons')
    .set({ two_factor_secret: secret, two_factor_last_step: null })
    .where('id', '=', personId)
    .where('two_factor_since', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Returns false if two-factor is already on. */
export async function updateTwoFactorOn(db: Db, personId: string, since: Date): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('persons')
    .set({ two_factor_since: since })
    .where('id', '=', personId)
    .where('two_factor_since', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function updateTwoFactorOff(db: Db, personId: string): Promise<void> {
  await control<Tables>(db)
    .updateTable('persons')
    .set({ two_factor_secret: null, two_factor_since: null, two_factor_last_step: null })
    .where('id', '=', personId)
    .execute()
}

/** The sealed secrets of persons with ids after the given one, in the order of ids. */
export async function selectSealedTwoFactor(
  db: Db,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; sealed: string }[]> {
  const rows = await control<Tables>(db)
    .selectFrom('persons')
    .select(['id', 'two_factor_secret as sealed'])
    .where('two_factor_secret', 'is not', null)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.flatMap(({ id, sealed }) => (sealed === null ? [] : [{ id, sealed }]))
}

/** Replaces a sealed secret unless it has changed. Returns whether it did. */
export async function updateSealedTwoFactor(
  db: Db,
  before: { id: string; sealed: string },
  sealed: string,
): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('persons')
    .set({ two_factor_secret: sealed })
    .where('id', '=', before.id)
    .where('two_factor_secret', '=', before.sealed)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Marks the code of a time step as used. Returns false if a code of this or a later step was used before. */
export async function updateTwoFactorStep(db: Db, personId: string, step: number): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('persons')
    .set({ two_factor_last_step: step })
    .where('id', '=', personId)
    .where((where) => where.or([where('two_factor_last_step', 'is', null), where('two_factor_last_step', '<', step)]))
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}
