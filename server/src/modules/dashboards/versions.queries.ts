import type { AccountId } from '@portico/contract/accounts'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

/** Versions that are kept of a dashboard, the current one included. */
const keptVersions = 50

/** Adds a version, and forgets the oldest ones. */
export async function insertVersion(db: Db, _account: AccountId, row: Tables['dashboard_versions']): Promise<void> {
  await control<Tables>(db).insertInto('dashboard_versions').values(row).execute()
  await control<Tables>(db)
    .deleteFrom('dashboard_versions')
    .where('dashboard_id', '=', row.dashboard_id)
    .where('version', '<=', row.version - keptVersions)
    .execute()
}

/** Newest first, without their definitions. Those after a version if that is given. */
export async function selectVersions(
  db: Db,
  account: AccountId,
  id: string,
  after = 0,
): Promise<Omit<Tables['dashboard_versions'], 'definition' | 'tags'>[]> {
  return versionsOf(db, account, id)
    .select(['v.dashboard_id', 'v.version', 'v.name', 'v.saved_by', 'v.saved_at', 'v.changes'])
    .where('v.version', '>', after)
    .orderBy('v.version', 'desc')
    .execute()
}

export async function selectVersion(
  db: Db,
  account: AccountId,
  id: string,
  version: number,
): Promise<Tables['dashboard_versions'] | undefined> {
  return versionsOf(db, account, id).selectAll('v').where('v.version', '=', version).executeTakeFirst()
}

const versionsOf = (db: Db, account: AccountId, id: string) =>
  control<Tables>(db)
    .selectFrom('dashboard_versions as v')
    .innerJoin('dashboards as d', 'd.id', 'v.dashboard_id')
    .where('d.account_id', '=', account)
    .where('v.dashboard_id', '=', id)
