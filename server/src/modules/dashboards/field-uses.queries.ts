import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

export type StoredVersion = Tables['dashboard_versions'] & { isCurrent: boolean }

/** A version of a dashboard that may name a field, with the size of its definition in bytes. */
export type NamingVersion = Pick<StoredVersion, 'dashboard_id' | 'version'> & { bytes: number }

const mayName = (part: string): RawBuilder<unknown> => sql`v.definition ~* ${part}`

/** The current versions of the account's dashboards whose definitions contain this text, and their bytes. */
export async function selectCurrentNaming(db: Db, account: AccountId, part: string): Promise<NamingVersion[]> {
  const { rows } = await sql<NamingVersion>`
    SELECT v.dashboard_id, v.version, octet_length(v.definition) AS bytes
    FROM portico.dashboards d JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version = d.version
    WHERE d.account_id = ${account} AND ${mayName(part)} ORDER BY d.id`.execute(db)
  return rows
}

/** A mark of the account's dashboards, which differs after each change. */
export async function selectDashboardsMark(db: Db, account: AccountId): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    SELECT md5(coalesce(string_agg(concat(id, ' ', version), ',' ORDER BY id), '')) AS mark
    FROM portico.dashboards WHERE account_id = ${account}`.execute(db)
  return rows[0]?.mark ?? ''
}

/**
 * All versions whose definitions contain this text, those of a dashboard in order. Locks the dashboards
 * until the end of the transaction.
 */
export async function lockNaming(db: Db, account: AccountId, part: string): Promise<NamingVersion[]> {
  const { rows } = await sql<NamingVersion>`
    SELECT v.dashboard_id, v.version, octet_length(v.definition) AS bytes
    FROM portico.dashboards d JOIN portico.dashboard_versions v ON v.dashboard_id = d.id
    WHERE d.account_id = ${account} AND ${mayName(part)} ORDER BY d.id, v.version FOR UPDATE OF d`.execute(db)
  return [...rows, ...(await selectNamingSince(db, account, part, rows))]
}

/**
 * The versions that were added to these dashboards while their locks were waited for: the statement which locks does not
 * see them.
 */
async function selectNamingSince(
  db: Db,
  account: AccountId,
  part: string,
  known: readonly NamingVersion[],
): Promise<NamingVersion[]> {
  const newest = new Map(known.map(({ dashboard_id: id, version }) => [id, version]))
  const { rows } = await sql<NamingVersion>`
    SELECT v.dashboard_id, v.version, octet_length(v.definition) AS bytes
    FROM unnest(${sql.val([...newest.keys()])}::uuid[], ${sql.val([...newest.values()])}::integer[]) AS known (id, newest)
    JOIN portico.dashboards d ON d.id = known.id AND d.account_id = ${account}
    JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version > known.newest
    WHERE ${mayName(part)} ORDER BY d.id, v.version`.execute(db)
  return rows
}

/** Reads versions that belong to the account, in order. */
export async function selectDefinitions(
  db: Db,
  account: AccountId,
  versions: readonly NamingVersion[],
): Promise<StoredVersion[]> {
  const ids = versions.map(({ dashboard_id: id }) => id)
  const numbers = versions.map(({ version }) => version)
  const { rows } = await sql<StoredVersion>`
    SELECT v.*, v.version = d.version AS "isCurrent"
    FROM unnest(${sql.val(ids)}::uuid[], ${sql.val(numbers)}::integer[]) AS asked (id, version)
    JOIN portico.dashboards d ON d.id = asked.id AND d.account_id = ${account}
    JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version = asked.version
    ORDER BY d.id, v.version`.execute(db)
  return rows
}

/** Changes the cells of versions whose dashboards belong to the account. */
export async function updateDefinitions(
  db: Db,
  account: AccountId,
  versions: readonly Pick<StoredVersion, 'dashboard_id' | 'version' | 'definition'>[],
): Promise<void> {
  await sql`
    UPDATE portico.dashboard_versions v SET definition = changed.definition
    FROM unnest(
      ${sql.val(versions.map(({ dashboard_id: id }) => id))}::uuid[],
      ${sql.val(versions.map(({ version }) => version))}::integer[],
      ${sql.val(versions.map(({ definition }) => definition))}::text[]
    ) AS changed (id, version, definition)
    JOIN portico.dashboards d ON d.id = changed.id
    WHERE d.account_id = ${account} AND v.dashboard_id = changed.id AND v.version = changed.version`.execute(db)
}

export async function updateToVersion(db: Db, account: AccountId, id: string, version: number): Promise<void> {
  await control<Tables>(db)
    .updateTable('dashboards')
    .set({ version })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}
