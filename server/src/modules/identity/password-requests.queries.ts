import { control, type Db, inParallel } from '#platform/database.ts'

type PasswordRequestTables = {
  password_requests: { id: string; email: string; address: string; requested_at: Date }
}

export async function insertPasswordRequest(
  db: Db,
  id: string,
  { email, address }: { email: string; address: string },
  at: Date,
): Promise<void> {
  await control<PasswordRequestTables>(db)
    .insertInto('password_requests')
    .values({ id, email: email.toLowerCase(), address, requested_at: at })
    .execute()
}

/** How many requests there were since `since`: for the e-mail, and from the address. */
export async function selectPasswordRequests(
  db: Db,
  { email, address }: { email: string; address: string },
  since: Date,
): Promise<{ ofEmail: number; ofAddress: number }> {
  const requests = control<PasswordRequestTables>(db)
    .selectFrom('password_requests')
    .select('id')
    .where('requested_at', '>', since)
  const [ofEmail, ofAddress] = await inParallel(db, [
    () => requests.where('email', '=', email.toLowerCase()).execute(),
    () => requests.where('address', '=', address).execute(),
  ])
  return { ofEmail: ofEmail?.length ?? 0, ofAddress: ofAddress?.length ?? 0 }
}

/** Removes one request, and all from before `before`. */
export async function deletePasswordRequests(db: Db, { id, before }: { id?: string; before: Date }): Promise<void> {
  await control<PasswordRequestTables>(db)
    .deleteFrom('password_requests')
    .where((where) =>
      id === undefined
        ? where('requested_at', '<', before)
        : where.or([where('id', '=', id), where('requested_at', '<', before)]),
    )
    .execute()
}
