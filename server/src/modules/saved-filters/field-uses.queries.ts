import type { AccountId } from '@portico/contract/accounts'
import { control, type Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import { type SavedFilterRow, type Tables, visibleFilters } from './saved-filters.queries.ts'

/** The filters that the account can see, with their stages. */
export async function selectShownFilters(
  db: Db,
  account: AccountId,
): Promise<Pick<SavedFilterRow, 'account_id' | 'aggregate_query' | 'id' | 'name'>[]> {
  return visibleFilters(db, account)
    .select(['id', 'account_id', 'name', 'aggregate_query'])
    .orderBy('name_key')
    .execute()
}

/** Locks the account's own filters until the end of the transaction. */
export async function lockOwnFilters(db: Db, account: AccountId): Promise<(SavedFilterRow & VersionRow)[]> {
  return control<Tables>(db)
    .selectFrom('saved_filters')
    .selectAll()
    .where('account_id', '=', account)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export async function updateFilterStages(
  db: Db,
  account: AccountId,
  id: string,
  text: string,
  next: { version: number; saves: string },
): Promise<(SavedFilterRow & VersionRow) | undefined> {
  return control<Tables>(db)
    .updateTable('saved_filters')
    .set({ aggregate_query: text, updated_at: new Date(), ...next })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}
