import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

/** The key of the email, or another key for the owner of the guessed secret, and the network. */
export type Pair = { key: string; address: string }

/** The earliest time and the maximum number of failures to read. */
type Window = { since: Date; limit: number }

/** Records an attempt that has not been checked yet. */
export async function insertLoginFailure(db: Db, id: string, { key, address }: Pair, at: Date): Promise<void> {
  await control<Tables>(db)
    .insertInto('login_failures')
    .values({ id, email: key, address, failed_at: at, is_judged: false })
    .execute()
}

/** Marks an attempt as failed. */
export async function updateLoginFailureJudged(db: Db, id: string, at: Date): Promise<void> {
  await control<Tables>(db)
    .updateTable('login_failures')
    .set({ failed_at: at, is_judged: true })
    .where('id', '=', id)
    .execute()
}

/** Times at which attempts of the pair other than `id` failed or were recorded, latest first. */
export function selectLoginFailures(db: Db, id: string, { key, address }: Pair, window: Window): Promise<Date[]> {
  return failureTimes(
    failuresWithin(db, window).where('email', '=', key).where('address', '=', address).where('id', '!=', id),
  )
}

/**
 * Times at which attempts from the address other than `id` failed or were recorded, for any email, latest first. Read
 * in one statement: an attempt that fails in between would be missing from both lists.
 */
export async function selectAddressFailures(
  db: Db,
  id: string,
  address: string,
  window: Window,
): Promise<{ failed: Date[]; recorded: Date[] }> {
  const rows = await failuresWithin(db, window)
    .select('is_judged')
    .where('address', '=', address)
    .where('id', '!=', id)
    .execute()
  const failed = rows.filter((row) => row.is_judged)
  return { failed: failed.map((row) => row.failed_at), recorded: rows.map((row) => row.failed_at) }
}

/** Times at which attempts at the email other than `id` failed or were recorded, from any address, latest first. */
export function selectEmailFailures(db: Db, id: string, key: string, window: Window): Promise<Date[]> {
  return failureTimes(failuresWithin(db, window).where('email', '=', key).where('id', '!=', id))
}

function failuresWithin(db: Db, { since, limit }: Window) {
  return control<Tables>(db)
    .selectFrom('login_failures')
    .select('failed_at')
    .where('failed_at', '>', since)
    .orderBy('failed_at', 'desc')
    .limit(limit)
}

async function failureTimes(query: ReturnType<typeof failuresWithin>): Promise<Date[]> {
  return (await query.execute()).map(({ failed_at }) => failed_at)
}

export async function deleteLoginFailure(db: Db, id: string): Promise<void> {
  await control<Tables>(db).deleteFrom('login_failures').where('id', '=', id).execute()
}

/** Deletes the failures of a pair, and all failures before `before`. */
export async function deleteLoginFailures(db: Db, { key, address }: Pair, before: Date): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('login_failures')
    .where((where) =>
      where.or([
        where.and([where('email', '=', key), where('address', '=', address)]),
        where('failed_at', '<', before),
      ]),
    )
    .execute()
}
