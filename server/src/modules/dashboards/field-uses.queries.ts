import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

type StoredVersion = Tables['dashboard_versions'] & { isCurrent: boolean }

/** All versions of the account's dashboards, locked until the end of a transaction; the current ones come last. */
export async function selectDefinitions(db: Db, account: AccountId): Promise<StoredVersion[]> {
  const { rows } = await sql<StoredVersion>`
    SELECT v.*, v.version = d.version AS "isCurrent"
    FROM portico.dashboard_versions v JOIN portico.dashboards d ON d.id = v.dashboard_id
    WHERE d.account_id = ${account} ORDER BY d.id, v.version FOR UPDATE OF d`.execute(db)
  return rows
}

/** Changes the cells of a version, if its dashboard belongs to the account. */
export async function updateDefinition(
  db: Db,
  account: AccountId,
  { dashboard_id: id, version }: Pick<StoredVersion, 'dashboard_id' | 'version'>,
  definition: string,
): Promise<void> {
  await sql`
    UPDATE portico.dashboard_versions v SET definition = ${definition} FROM portico.dashboards d
    WHERE d.id = v.dashboard_id AND d.account_id = ${account} AND d.id = ${id} AND v.version = ${version}`.execute(db)
}

export async function updateToVersion(db: Db, account: AccountId, id: string, version: number): Promise<void> {
  await control<Tables>(db)
    .updateTable('dashboards')
    .set({ version })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}
