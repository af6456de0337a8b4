import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import { namedFilters } from '#platform/rows/filter-uses.ts'
import type { Tables } from './tables.ts'

export type VersionRow = {
  version: number
  name: string
  tags: string[]
  /** JSON. */
  definition: string
  /** Email; empty once the person no longer exists. */
  savedBy: string
  savedAt: Date
  changes: string
}

/** Versions of a dashboard that belongs to the account. */
const versionsOf = (account: AccountId, id: string, columns: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  SELECT ${columns}, v.version, coalesce(p.email, '') AS "savedBy", v.saved_at AS "savedAt", v.changes
  FROM portico.dashboard_versions v
  JOIN portico.dashboards d ON d.id = v.dashboard_id
  LEFT JOIN ${sql.raw(personsAs('p'))} ON p.id = v.saved_by
  WHERE v.dashboard_id = ${id} AND d.account_id = ${account}`

/** The versions after one (0 for all), newest first, without their definitions. */
export async function selectVersions(
  db: Db,
  account: AccountId,
  id: string,
  after: number,
): Promise<Omit<VersionRow, 'definition'>[]> {
  const { rows } = await sql<Omit<VersionRow, 'definition'>>`
    ${versionsOf(account, id, sql`v.name, v.tags`)} AND v.version > ${after} ORDER BY v.version DESC`.execute(db)
  return rows
}

export async function selectVersion(
  db: Db,
  account: AccountId,
  id: string,
  version: number,
): Promise<VersionRow | undefined> {
  const { rows } = await sql<VersionRow>`
    ${versionsOf(account, id, sql`v.name, v.tags, v.definition`)} AND v.version = ${version}`.execute(db)
  return rows[0]
}

/** Adds a version to a dashboard, if it belongs to the account, and removes versions beyond the last `kept`. */
export async function insertVersion(
  db: Db,
  account: AccountId,
  row: Tables['dashboard_versions'],
  kept: number,
): Promise<void> {
  const { dashboard_id: id, ...version } = row
  await sql`
    INSERT INTO portico.dashboard_versions
      (dashboard_id, version, name, tags, definition, named_filters, saved_by, holder, saved_at, changes)
    SELECT d.id, ${version.version}, ${version.name}, ${version.tags}, ${version.definition},
      ${namedFilters(version.definition)}::uuid[], ${version.saved_by},
      ${version.holder}, ${version.saved_at}, ${version.changes}
    FROM portico.dashboards d WHERE d.id = ${id} AND d.account_id = ${account}`.execute(db)
  await control<Tables>(db)
    .deleteFrom('dashboard_versions')
    .where('dashboard_id', '=', row.dashboard_id)
    .where('version', '<=', row.version - kept)
    .execute()
}
