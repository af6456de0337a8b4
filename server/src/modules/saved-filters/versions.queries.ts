import type { AccountId } from '@portico/contract/accounts'
import { type Selectable, sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'

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
      sql<string | null>`CASE WHEN length(aggregate_query) <= ${longest}::integer THEN aggregate_query END`.as('query'),
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

type NamingVersion = Pick<VersionTable, 'filter_id' | 'version'> & { bytes: number }

/** Versions whose stages match the pattern, in any letter case, with the size of these in bytes. */
export async function selectVersionsNaming(db: Db, account: AccountId, pattern: string): Promise<NamingVersion[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('saved_filter_versions')
    .select(['filter_id', 'version', sql<number>`octet_length(aggregate_query)`.as('bytes')])
    .where(sql<boolean>`aggregate_query ~* ${pattern}`)
    .orderBy('filter_id')
    .orderBy('version')
    .execute()
}

export async function selectSomeVersions(
  db: Db,
  account: AccountId,
  versions: readonly NamingVersion[],
): Promise<Pick<FilterVersionRow, 'aggregate_query' | 'filter_id' | 'version'>[]> {
  const ids = versions.map(({ filter_id: id }) => id)
  const numbers = versions.map(({ version }) => version)
  const { rows } = await sql<Pick<FilterVersionRow, 'aggregate_query' | 'filter_id' | 'version'>>`
    SELECT v.filter_id, v.version, v.aggregate_query
    FROM unnest(${sql.val(ids)}::uuid[], ${sql.val(numbers)}::integer[]) AS asked (id, version)
    JOIN ${accountTable(account, 'saved_filter_versions')} v ON v.filter_id = asked.id AND v.version = asked.version
    ORDER BY v.filter_id, v.version`.execute(db)
  return rows
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
