import { callerKey } from '@portico/contract/email-address'
import type { AccountId } from '@portico/contract/accounts'
import { type Insertable, type RawBuilder, sql, type Transaction, type Updateable } from 'kysely'
import { hasIdentityIn } from '#access'
import { accessChangesMark } from '#audit'
import { accountsAs, parentOf } from '#accounts'
import { personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import { withLock } from '#platform/waits/locks.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import type { Tables } from './tables.ts'

/**
 * The person who views or lists dashboards. Administrators also see the dashboards of their account that they may take
 * over.
 */
export type DashboardViewer = { personId: string; email: string; isAdministrator: boolean }

/** A dashboard with its current version. */
export type DashboardRow = {
  id: string
  /** The account that it belongs to. */
  account: AccountId
  authorId: string | null
  /** Email; empty once the person is gone. */
  author: string
  name: string
  tags: string[]
  /** Null for all, as are the next two. */
  sharedParents: AccountId[] | null
  sharedAccounts: AccountId[] | null
  sharedUsers: string[] | null
  version: number
  /** JSON; empty when it was omitted from the query. */
  definition: string
  /** The holder whose rights the cells of the current version are read with; null if unknown. */
  holder: string | null
  savedAt: Date
  isFavourite: boolean
  /** No identity of the author opens the account that it belongs to. */
  hasAuthorLeft: boolean
}

/** Expects the dashboard as `d`. */
const hasAuthorLeft = (account: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`NOT EXISTS (
    SELECT FROM ${sql.raw(accountsAs('home'))}
    WHERE home.id = ${account} AND ${sql.raw(hasIdentityIn('d.author_id', 'home'))})`

/**
 * Whether the person sees the dashboard `d` in the account: as its author, because it is shared with them, or to take
 * it over.
 */
function isSeen(
  db: Db,
  account: AccountId,
  { personId, email, isAdministrator }: DashboardViewer,
): RawBuilder<boolean> {
  return sql<boolean>`(
    (d.account_id = ${account} AND (
      d.author_id = ${personId} OR (${isAdministrator} AND ${hasAuthorLeft(sql`${account}::integer`)})))
    OR (${isSharedWith(account, sql`(${parentOf(db, account)})`)}
      AND (d.shared_users IS NULL OR ${callerKey(email)} = ANY (d.shared_users) OR d.author_id = ${personId})))`
}

/** Whether the dashboard `d` is shared with people of the account. */
function isSharedWith(account: AccountId, parent: RawBuilder<unknown>): RawBuilder<boolean> {
  const family = sql`ARRAY[coalesce(${parent}, ${account}::integer)]`
  return sql<boolean>`(
    (d.shared_accounts @> ARRAY[${account}::integer]
      OR (d.shared_accounts IS NULL AND (d.shared_parents @> ${family} OR d.shared_parents IS NULL)))
    AND (d.shared_parents IS NULL OR d.shared_parents @> ${family}))`
}

/**
 * Changes whenever the people who see dashboards in the account may have changed: with their sharing and authors, and
 * with rights in the accounts they belong to, since viewers use the rights of those who saved them.
 */
export function sharingMark(account: AccountId): RawBuilder<unknown> {
  const parent = sql`(SELECT parent_id FROM ${sql.raw(accountsAs('own'))} WHERE own.id = ${account})`
  const seen = sql`FROM portico.dashboards d WHERE d.account_id = ${account} OR ${isSharedWith(account, parent)}`
  const sharing = sql`ROW(d.id, d.author_id, d.shared_parents, d.shared_accounts, d.shared_users)::text`
  return sql`(SELECT concat(
    (SELECT concat(count(*), ' ', sum(hashtextextended(${sharing}, 0))) ${seen}),
    (SELECT string_agg(concat(' ', home.account_id, ':', ${accessChangesMark(sql`home.account_id`)}), '' ORDER BY home.account_id)
      FROM (SELECT DISTINCT d.account_id ${seen}) AS home)))`
}

const selected = (
  db: Db,
  account: AccountId,
  viewer: DashboardViewer,
  definition: RawBuilder<unknown>,
): RawBuilder<DashboardRow> =>
  sql<DashboardRow>`
    SELECT d.id, d.account_id AS account, d.author_id AS "authorId", coalesce(author.email, '') AS author, d.name, d.tags,
      d.shared_parents AS "sharedParents", d.shared_accounts AS "sharedAccounts", d.shared_users AS "sharedUsers",
      d.version, ${definition}, v.holder, v.saved_at AS "savedAt",
      EXISTS (
        SELECT FROM portico.dashboard_favourites f WHERE f.dashboard_id = d.id AND f.person_id = ${viewer.personId}
      ) AS "isFavourite",
      ${hasAuthorLeft(sql`d.account_id`)} AS "hasAuthorLeft"
    FROM portico.dashboards d
    JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version = d.version
    LEFT JOIN ${sql.raw(personsAs('author'))} ON author.id = d.author_id
    WHERE ${isSeen(db, account, viewer)}`

type ListOptions = {
  /** Part of the name. */
  find: string
  /** Null for any tag. */
  tag: string | null
  /** Limit on the total bytes of the rows' definitions; those beyond it are omitted. */
  definitionBytes: number
  limit: number
  skip: number
}

/** The dashboards that a person sees in an account, by name, ignoring letter case. */
export async function selectDashboards(
  db: Db,
  account: AccountId,
  viewer: DashboardViewer,
  { find, tag, definitionBytes, limit, skip }: ListOptions,
): Promise<DashboardRow[]> {
  const { rows } = await sql<DashboardRow>`
    WITH page AS (
      ${selected(db, account, viewer, sql`octet_length(v.definition) AS bytes`)}
        AND position(lower(${find}) IN lower(d.name)) > 0 AND (${tag}::text IS NULL OR ${tag} = ANY (d.tags))
      ORDER BY lower(d.name), d.id LIMIT ${limit} OFFSET ${skip}
    )
    SELECT page.*, CASE
      WHEN sum(page.bytes) OVER (ORDER BY lower(page.name), page.id) <= ${definitionBytes}::bigint THEN v.definition
      ELSE ''
    END AS definition
    FROM page JOIN portico.dashboard_versions v ON v.dashboard_id = page.id AND v.version = page.version
    ORDER BY lower(page.name), page.id`.execute(db)
  return rows
}

/** Undefined if the person cannot see it in the account. */
export async function selectDashboard(
  db: Db,
  account: AccountId,
  viewer: DashboardViewer,
  id: string,
): Promise<DashboardRow | undefined> {
  const { rows } = await sql<DashboardRow>`
    ${selected(db, account, viewer, sql`v.definition`)} AND d.id = ${id}`.execute(db)
  return rows[0]
}

/** The current version and the holder whose rights it is read with; undefined as in `selectDashboard`. */
export async function selectCurrentVersion(
  db: Db,
  account: AccountId,
  viewer: DashboardViewer,
  id: string,
): Promise<Pick<DashboardRow, 'version' | 'holder'> | undefined> {
  const { rows } = await sql<Pick<DashboardRow, 'version' | 'holder'>>`
    SELECT d.version, v.holder FROM portico.dashboards d
    JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version = d.version
    WHERE d.id = ${id} AND ${isSeen(db, account, viewer)}`.execute(db)
  return rows[0]
}

/** The number of dashboards that a person sees in an account. */
export async function countDashboards(db: Db, account: AccountId, viewer: DashboardViewer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM portico.dashboards d WHERE ${isSeen(db, account, viewer)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** The number of dashboards that belong to the account. */
export async function countOwnDashboards(db: Db, account: AccountId): Promise<number> {
  const { count } = await control<Tables>(db)
    .selectFrom('dashboards')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
  return count
}

/** The first dashboard created in the account; null if there is none. */
export async function firstDashboardOf(db: Db, account: AccountId): Promise<string | null> {
  const row = await control<Tables>(db)
    .selectFrom('dashboards')
    .select('id')
    .where('account_id', '=', account)
    .orderBy('created_at')
    .orderBy('name')
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Adds or deletes dashboards of an account, one caller at a time.
 * @throws unavailable
 */
export function withDashboardsLocked<T>(
  db: Db,
  account: AccountId,
  work: (tx: Transaction<object>) => Promise<T>,
): Promise<T> {
  return withLock(db, accountLock('dashboards', account), work)
}

/** Locks the dashboard with this id until the end of the transaction, if the account has it. */
export async function lockDashboard(db: Db, account: AccountId, id: string): Promise<void> {
  await control<Tables>(db)
    .selectFrom('dashboards')
    .select('id')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .execute()
}

export async function insertDashboard(
  db: Db,
  account: AccountId,
  row: Omit<Insertable<Tables['dashboards']>, 'account_id'>,
): Promise<void> {
  await control<Tables>(db)
    .insertInto('dashboards')
    .values({ ...row, account_id: account })
    .execute()
}

export async function updateDashboardRow(
  db: Db,
  account: AccountId,
  id: string,
  change: Updateable<Tables['dashboards']>,
): Promise<void> {
  await control<Tables>(db)
    .updateTable('dashboards')
    .set(change)
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}

export async function deleteDashboardRow(db: Db, account: AccountId, id: string): Promise<void> {
  await control<Tables>(db).deleteFrom('dashboards').where('account_id', '=', account).where('id', '=', id).execute()
}

/** Marks a dashboard as a person's favorite, if they see it in the account. */
export async function insertFavourite(db: Db, account: AccountId, viewer: DashboardViewer, id: string): Promise<void> {
  await sql`
    INSERT INTO portico.dashboard_favourites (dashboard_id, person_id)
    SELECT d.id, ${viewer.personId} FROM portico.dashboards d WHERE d.id = ${id} AND ${isSeen(db, account, viewer)}
    ON CONFLICT DO NOTHING`.execute(db)
}

/** Removes a person's mark from a dashboard that they see in the account. */
export async function deleteFavourite(db: Db, account: AccountId, viewer: DashboardViewer, id: string): Promise<void> {
  await sql`
    DELETE FROM portico.dashboard_favourites f USING portico.dashboards d
    WHERE d.id = f.dashboard_id AND d.id = ${id} AND f.person_id = ${viewer.personId}
      AND ${isSeen(db, account, viewer)}`.execute(db)
}
