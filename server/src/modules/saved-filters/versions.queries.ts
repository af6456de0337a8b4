import type { AccountId } from '@portico/contract/accounts'
import { type Selectable, sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import { lengthWithin } from '#platform/rows/long-texts.ts'

/** Table `saved_filter_versions` of an account. */
type VersionTable = {
  filter_id: string
  version: number
  name: string
  /** JSON array of stages. */
  aggregate_query: string
  show_in_subaccounts: boolean
  saved_by: string
  saved_at: Date
}
type Tables = { saved_filter_versions: VersionTable }

export type FilterVersionRow = Selectable<VersionTable>
export type ListedVersion = Omit<FilterVersionRow, 'aggregate_query'> & { query: string | null }

/** Adds versions; one that is there already stays. */
export async function insertVersions(db: Db, account: AccountId, versions: readonly FilterVersionRow[]): Promise<void> {
  await inAccount<Tables>(db, account)
    .insertInto('saved_filter_versions')
    .values([...versions])
    .onConflict((on) => on.columns(['filter_id', 'version']).doNothing())
    .execute()
}

/** The versions of a filter, newest first. `query` is null where it has more than `longest` characters. */
export async function selectVersions(
  db: Db,
  account: AccountId,
  id: string,
  longest: number,
): Promise<ListedVersion[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('saved_filter_versions')
    .select(['filter_id', 'version', 'name', 'show_in_subaccounts', 'saved_by', 'saved_at'])
    .select(
      sql<string | null>`CASE WHEN ${lengthWithin(sql.ref('aggregate_query'), longest)} THEN aggregate_query END`.as(
        'query',
      ),
    )
    .where('filter_id', '=', id)
    .orderBy('version', 'desc')
    .execute()
}

export async function selectVersion(
  db: Db,
  account: AccountId,
  id: string,
  version: number,
): Promise<FilterVersionRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('saved_filter_versions')
    .selectAll()
    .where('filter_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Versions whose stages contain this text, in any letter case, locked until the end of the transaction. */
export async function lockVersionsNaming(db: Db, account: AccountId, part: string): Promise<FilterVersionRow[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('saved_filter_versions')
    .selectAll()
    .where(sql<boolean>`aggregate_query ~* ${part}`)
    .orderBy('filter_id')
    .orderBy('version')
    .forUpdate()
    .execute()
}

export async function updateVersionStages(
  db: Db,
  account: AccountId,
  { filter_id: id, version }: Pick<FilterVersionRow, 'filter_id' | 'version'>,
  text: string,
): Promise<void> {
  await inAccount<Tables>(db, account)
    .updateTable('saved_filter_versions')
    .set({ aggregate_query: text })
    .where('filter_id', '=', id)
    .where('version', '=', version)
    .execute()
}

/** Removes all versions of a filter but the last `kept`. */
export async function deleteOldVersions(db: Db, account: AccountId, id: string, kept: number): Promise<void> {
  const table = accountTable(account, 'saved_filter_versions')
  await sql`
    DELETE FROM ${table} WHERE filter_id = ${id} AND version <= (
      SELECT version FROM ${table} WHERE filter_id = ${id} ORDER BY version DESC OFFSET ${kept} LIMIT 1)`.execute(db)
}

export async function deleteVersions(db: Db, account: AccountId, id: string): Promise<void> {
  await inAccount<Tables>(db, account).deleteFrom('saved_filter_versions').where('filter_id', '=', id).execute()
}
