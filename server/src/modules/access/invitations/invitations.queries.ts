import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

/** Accepts an identity of the person. Returns false when there is none to accept. */
export async function updateAccepted(db: Db, personId: string, id: string, at: Date): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('identities')
    .set({ accepted_at: at })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .where('accepted_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Deletes an identity that the person has not accepted. Returns false when there is none. */
export async function deletePending(db: Db, personId: string, id: string): Promise<boolean> {
  const deleted = await control<Tables>(db)
    .deleteFrom('identities')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .where('accepted_at', 'is', null)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}
