import { control, type Db } from '#platform/database.ts'

type LoginFailureTables = { login_failures: { id: string; email: string; address: string; failed_at: Date } }

/** An e-mail as it was typed, and the network address it was typed at. */
export type Pair = { email: string; address: string }

export async function insertLoginFailure(db: Db, { email, address }: Pair, at: Date): Promise<void> {
  await control<LoginFailureTables>(db)
    .insertInto('login_failures')
    .values({ id: crypto.randomUUID(), email: email.toLowerCase(), address, failed_at: at })
    .execute()
}

/** When the pair failed since `since`, latest first, at most `limit` of them. */
export async function selectLoginFailures(
  db: Db,
  { email, address }: Pair,
  { since, limit }: { since: Date; limit: number },
): Promise<Date[]> {
  const rows = await control<LoginFailureTables>(db)
    .selectFrom('login_failures')
    .select('failed_at')
    .where('email', '=', email.toLowerCase())
    .where('address', '=', address)
    .where('failed_at', '>', since)
    .orderBy('failed_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ failed_at }) => failed_at)
}

/** Forgets the failures of a pair, and those of everybody from before `before`. */
export async function deleteLoginFailures(db: Db, { email, address }: Pair, before: Date): Promise<void> {
  await control<LoginFailureTables>(db)
    .deleteFrom('login_failures')
    .where((where) =>
      where.or([
        where.and([where('email', '=', email.toLowerCase()), where('address', '=', address)]),
        where('failed_at', '<', before),
      ]),
    )
    .execute()
}
