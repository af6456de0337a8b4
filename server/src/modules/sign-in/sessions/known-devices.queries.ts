import { control, type Db } from '#platform/database.ts'

type KnownDeviceTables = { known_devices: { person_id: string; device: string; first_seen_at: Date } }

/** Whether the person has signed in with anything before. */
export async function selectHasKnownDevices(db: Db, personId: string): Promise<boolean> {
  const found = await control<KnownDeviceTables>(db)
    .selectFrom('known_devices')
    .select('device')
    .where('person_id', '=', personId)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Answers false when the person has signed in with it before. */
export async function insertKnownDevice(db: Db, personId: string, device: string, at: Date): Promise<boolean> {
  const inserted = await control<KnownDeviceTables>(db)
    .insertInto('known_devices')
    .values({ person_id: personId, device, first_seen_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}
