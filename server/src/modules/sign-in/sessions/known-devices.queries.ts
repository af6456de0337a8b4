import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

/** Whether the person has signed in on any device before. */
export async function selectHasKnownDevices(db: Db, personId: string): Promise<boolean> {
  const found = await control<Tables>(db)
    .selectFrom('known_devices')
    .select('device')
    .where('person_id', '=', personId)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Returns false when the person has signed in on this device before. */
export async function insertKnownDevice(db: Db, personId: string, device: string, at: Date): Promise<boolean> {
  const inserted = await control<Tables>(db)
    .insertInto('known_devices')
    .values({ person_id: personId, device, first_seen_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}
