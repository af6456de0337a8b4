import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

/** Returns false if the challenge was used before. Removes those that have expired. */
export async function insertUsedChallenge(
  db: Db,
  challenge: string,
  { expiresAt, now }: { expiresAt: Date; now: Date },
): Promise<boolean> {
  await control<Tables>(db).deleteFrom('used_challenges').where('expires_at', '<', now).execute()
  const inserted = await control<Tables>(db)
    .insertInto('used_challenges')
    .values({ challenge, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}
