import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { parentOf } from '#accounts'
import { control, type Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import { type SavedFilterRow, type Tables, visibleFilters } from './saved-filters.queries.ts'

/** A filter whose stages may name a field, with their size in bytes. */
export type NamingFilter = Pick<SavedFilterRow, 'account_id' | 'id' | 'name'> & { bytes: number }

/** The filters that the account can see and whose stages match the pattern, in any letter case. */
export async function selectShownNaming(db: Db, account: AccountId, pattern: string): Promise<NamingFilter[]> {
  return visibleFilters(db, account)
    .select(['id', 'account_id', 'name', sql<number>`octet_length(aggregate_query)`.as('bytes')])
    .where(sql<boolean>`aggregate_query ~* ${pattern}`)
    .orderBy('name_key')
    .execute()
}

/** A mark of the filters that the account can see, and those that they may use, which differs after each change. */
export async function selectFiltersMark(db: Db, account: AccountId): Promise<string> {
  const row = await control<Tables>(db)
    .selectFrom('saved_filters')
    .select(sql<string>`md5(coalesce(string_agg(concat(id, ' ', version), ',' ORDER BY id), ''))`.as('mark'))
    .where((on) => on.or([on('account_id', '=', account), on('account_id', '=', parentOf(db, account))]))
    .executeTakeFirst()
  return row?.mark ?? ''
}

/** Those of the filters that the account can see, by their ids. */
export async function selectShownFilters(
  db: Db,
  account: AccountId,
  ids: readonly string[],
): Promise<(SavedFilterRow & VersionRow)[]> {
  return visibleFilters(db, account)
    .selectAll()
    .where(sql<boolean>`id = ANY(${sql.val(ids)}::uuid[])`)
    .orderBy('name_key')
    .execute()
}

/** Of these ids, those of filters that the account can see, each with the account that owns it. */
export async function selectOwners(
  db: Db,
  account: AccountId,
  ids: readonly string[],
): Promise<Pick<SavedFilterRow, 'account_id' | 'id'>[]> {
  return visibleFilters(db, account)
    .select(['id', 'account_id'])
    .where(sql<boolean>`id = ANY(${sql.val(ids)}::uuid[])`)
    .execute()
}

/** Locks the account's own filters until the end of the transaction. */
export async function lockOwnFilters(db: Db, account: AccountId): Promise<void> {
  await control<Tables>(db)
    .selectFrom('saved_filters')
    .select('id')
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
