import type { AccountId } from '@portico/contract/accounts'
import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { parentOf } from '#accounts'
import { control, type Db } from '#platform/database.ts'
import { changedNameColumns, nameColumns } from '#platform/name-columns.ts'
import { namedFilters } from '#platform/rows/filter-uses.ts'
import { lengthWithin } from '#platform/rows/long-texts.ts'
import type { VersionColumns, VersionRow } from '#platform/rows/versions.ts'

type SavedFilterTable = VersionColumns & {
  id: string
  account_id: AccountId
  name: string
  /** `foldName` of the name, by which it is unique in the account. */
  name_key: string
  /** JSON array of stages. */
  aggregate_query: string
  /** Ids of the saved filters that are part of it. */
  named_filters: Generated<string[]>
  show_in_subaccounts: boolean
  creator: string
  /** Whose rights it is used with besides those of its user; null for the portal's own, or if unknown. */
  holder: string | null
  created_at: Date
  updated_at: Date
}
export type Tables = { saved_filters: SavedFilterTable }

export type SavedFilterRow = Selectable<SavedFilterTable>

/** Filters of the account itself, and those that its parent account shows in sub-accounts. */
export function visibleFilters(db: Db, account: AccountId) {
  return control<Tables>(db)
    .selectFrom('saved_filters')
    .where((on) =>
      on.or([
        on('account_id', '=', account),
        on.and([on('account_id', '=', parentOf(db, account)), on('show_in_subaccounts', '=', true)]),
      ]),
    )
}

const listed = ['id', 'account_id', 'version', 'name', 'show_in_subaccounts'] as const
export type ListedFilter = Pick<SavedFilterRow, (typeof listed)[number]>

/** Sorted by name, ignoring case. Without their stages, which may be long. */
export async function selectSavedFilters(db: Db, account: AccountId): Promise<ListedFilter[]> {
  return visibleFilters(db, account).select(listed).orderBy('name_key').orderBy('account_id', 'desc').execute()
}

const described = [...listed, 'creator', 'created_at', 'updated_at'] as const
export type DescribedFilter = Pick<SavedFilterRow, (typeof described)[number]> & { query: string | null }

/**
 * The filters that the account can see, or the one with an id, sorted by name. `query`: their stages as text, null
 * where it has more than `longest` characters.
 */
export async function selectDescribed(
  db: Db,
  account: AccountId,
  { id, longest }: { id?: string; longest: number | null },
): Promise<DescribedFilter[]> {
  const text = sql.ref<string>('aggregate_query')
  const query = longest === null ? text : sql<string | null>`CASE WHEN ${lengthWithin(text, longest)} THEN ${text} END`
  const asked = visibleFilters(db, account).select([...described, query.as('query')])
  const some = id === undefined ? asked : asked.where('id', '=', id)
  return some.orderBy('name_key').orderBy('account_id', 'desc').execute()
}

export async function countOwnFilters(db: Db, account: AccountId): Promise<number> {
  const { count } = await control<Tables>(db)
    .selectFrom('saved_filters')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
  return count
}

export async function selectSavedFilter(db: Db, account: AccountId, id: string): Promise<SavedFilterRow | undefined> {
  return visibleFilters(db, account).selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertSavedFilter(
  db: Db,
  account: AccountId,
  row: Omit<Insertable<SavedFilterTable>, 'account_id' | 'name_key' | 'named_filters'>,
): Promise<SavedFilterRow> {
  return control<Tables>(db)
    .insertInto('saved_filters')
    .values({
      ...row,
      ...nameColumns(row.name),
      account_id: account,
      named_filters: namedFilters(row.aggregate_query),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Locks one of the account's own filters until the end of the transaction. */
export async function lockOwnFilter(
  db: Db,
  account: AccountId,
  id: string,
): Promise<(VersionRow & SavedFilterRow) | undefined> {
  return control<Tables>(db)
    .selectFrom('saved_filters')
    .selectAll()
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Undefined if the account has no such filter of its own, or no longer has it. */
export async function updateOwnFilter(
  db: Db,
  account: AccountId,
  { id, name: before }: Pick<SavedFilterRow, 'id' | 'name'>,
  {
    name,
    ...change
  }: Omit<Updateable<SavedFilterTable>, 'name' | 'name_key' | 'named_filters'> & {
    name: string
    aggregate_query: string
  },
): Promise<SavedFilterRow | undefined> {
  return control<Tables>(db)
    .updateTable('saved_filters')
    .set({
      ...change,
      ...changedNameColumns(name, before),
      named_filters: namedFilters(change.aggregate_query),
    })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteOwnFilter(db: Db, account: AccountId, id: string): Promise<SavedFilterRow | undefined> {
  return control<Tables>(db)
    .deleteFrom('saved_filters')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}
