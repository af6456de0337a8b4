import { control, type Db, inParallel } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

export async function insertPasswordRequest(
  db: Db,
  id: string,
  { key, address }: { key: string; address: string },
  at: Date,
): Promise<void> {
  await control<Tables>(db)
    .insertInto('password_requests')
    .values({ id, email: key, address, requested_at: at })
    .execute()
}

/** The number of requests since `since`, for the key of an email and from the address. */
export async function selectPasswordRequests(
  db: Db,
  { key, address }: { key: string; address: string },
  since: Date,
): Promise<{ ofEmail: number; ofAddress: number }> {
  const requests = control<Tables>(db).selectFrom('password_requests').select('id').where('requested_at', '>', since)
  const [ofEmail, ofAddress] = await inParallel(db, [
    () => requests.where('email', '=', key).execute(),
    () => requests.where('address', '=', address).execute(),
  ])
  return { ofEmail: ofEmail?.length ?? 0, ofAddress: ofAddress?.length ?? 0 }
}

/** Removes one request, and all requests before `before`. */
export async function deletePasswordRequests(db: Db, { id, before }: { id?: string; before: Date }): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('password_requests')
    .where((where) =>
      id === undefined
        ? where('requested_at', '<', before)
        : where.or([where('id', '=', id), where('requested_at', '<', before)]),
    )
    .execute()
}
