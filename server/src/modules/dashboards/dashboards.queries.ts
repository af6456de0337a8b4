import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { hasIdentityIn } from '#access'
import { personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

/** The person who looks at dashboards, in an account. An account without a parent counts as its own parent. */
export type Viewer = {
  personId: string
  email: string
  account: AccountId
  parent: AccountId
  /** Sees the dashboards of this account whose author has left it. */
  isAdministrator: boolean
}

/** A dashboard as one viewer sees it. */
export type DashboardRow = Tables['dashboards'] & {
  /** Email; null once the person is gone. */
  author: string | null
  is_author: boolean
  is_favourite: boolean
  /** The author can no longer enter the account of the dashboard. */
  has_lost_author: boolean
}

type Which = {
  id?: string
  find?: string | undefined
  tag?: string | undefined
  withDefinition: boolean
  limit: number
  skip: number
}

/** Dashboards that the viewer sees: their own of this account, and those that are shared with them here. By name. */
export async function selectDashboards(db: Db, viewer: Viewer, which: Which): Promise<DashboardRow[]> {
  const { id, find, tag, withDefinition, limit, skip } = which
  const { rows } = await sql<DashboardRow>`
    SELECT d.id, d.account_id, d.author_id, d.name, d.tags, d.shared_parents, d.shared_accounts, d.shared_users,
      ${withDefinition ? sql`d.definition` : sql`''`} AS definition, d.version, d.saved_by, d.created_at, d.updated_at,
      p.email AS author, d.author_id IS NOT DISTINCT FROM ${viewer.personId}::uuid AS is_author,
      EXISTS (SELECT FROM portico.dashboard_favourites f
        WHERE f.dashboard_id = d.id AND f.person_id = ${viewer.personId}::uuid) AS is_favourite,
      ${hasLostAuthor} AS has_lost_author
    FROM portico.dashboards d LEFT JOIN ${sql.raw(personsAs('p'))} ON p.id = d.author_id
    WHERE ${isSeenBy(viewer)}
      AND ${id === undefined ? sql`TRUE` : sql`d.id = ${id}::uuid`}
      AND ${find === undefined || find === '' ? sql`TRUE` : sql`position(lower(${find}) IN lower(d.name)) > 0`}
      AND ${tag === undefined ? sql`TRUE` : sql`${tag} = ANY (d.tags)`}
    ORDER BY lower(d.name), d.id LIMIT ${limit} OFFSET ${skip}`.execute(db)
  return rows
}

/** How many dashboards the viewer sees, up to two. */
export async function countSeen(db: Db, viewer: Viewer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (SELECT FROM portico.dashboards d WHERE ${isSeenBy(viewer)} LIMIT 2) seen`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

const hasLostAuthor = sql.raw(`(d.author_id IS NULL OR NOT ${hasIdentityIn('d.author_id', 'd.account_id')})`)

function isSeenBy({ personId, email, account, parent, isAdministrator }: Viewer) {
  const isAuthor = sql`d.author_id = ${personId}::uuid`
  return sql`(
    (d.account_id = ${account} AND (${isAuthor} ${isAdministrator ? sql`OR ${hasLostAuthor}` : sql``}))
    OR ((d.shared_accounts @> ARRAY[${account}::integer] OR d.shared_accounts IS NULL)
      AND (d.shared_parents @> ARRAY[${parent}::integer] OR d.shared_parents IS NULL)
      AND (d.shared_users IS NULL OR lower(${email}) = ANY (d.shared_users) OR ${isAuthor})))`
}

/** Keeps others from changing the dashboard until the transaction ends. */
export async function lockDashboard(tx: Db, account: AccountId, id: string): Promise<{ version: number } | undefined> {
  return control<Tables>(tx)
    .selectFrom('dashboards')
    .select('version')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function countOfAccount(db: Db, account: AccountId): Promise<number> {
  const { count } = await control<Tables>(db)
    .selectFrom('dashboards')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertDashboard(
  db: Db,
  account: AccountId,
  row: Omit<Tables['dashboards'], 'account_id'>,
): Promise<void> {
  await control<Tables>(db)
    .insertInto('dashboards')
    .values({ ...row, account_id: account })
    .execute()
}

export async function updateDashboard(
  db: Db,
  account: AccountId,
  id: string,
  change: Partial<Omit<Tables['dashboards'], 'id' | 'account_id'>>,
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

/** Marks or unmarks a dashboard that the viewer sees. */
export async function setFavourite(db: Db, { personId }: Viewer, id: string, isFavourite: boolean): Promise<void> {
  const favourites = control<Tables>(db)
  if (isFavourite) {
    await favourites
      .insertInto('dashboard_favourites')
      .values({ person_id: personId, dashboard_id: id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return
  }
  await favourites
    .deleteFrom('dashboard_favourites')
    .where('person_id', '=', personId)
    .where('dashboard_id', '=', id)
    .execute()
}
