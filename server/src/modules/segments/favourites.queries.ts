import type { AccountId } from '@portico/contract/accounts'
import { type Db, inAccount } from '#platform/database.ts'

type Tables = { segment_favourites: { filter_id: string; person_id: string } }

export async function selectFavourites(db: Db, account: AccountId, personId: string): Promise<Set<string>> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('segment_favourites')
    .select('filter_id')
    .where('person_id', '=', personId)
    .execute()
  return new Set(rows.map(({ filter_id: id }) => id))
}

export async function insertFavourite(db: Db, account: AccountId, personId: string, id: string): Promise<void> {
  await inAccount<Tables>(db, account)
    .insertInto('segment_favourites')
    .values({ filter_id: id, person_id: personId })
    .onConflict((on) => on.doNothing())
    .execute()
}

export async function deleteFavourite(db: Db, account: AccountId, personId: string, id: string): Promise<void> {
  await inAccount<Tables>(db, account)
    .deleteFrom('segment_favourites')
    .where('filter_id', '=', id)
    .where('person_id', '=', personId)
    .execute()
}
