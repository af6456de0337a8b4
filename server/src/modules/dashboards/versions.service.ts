import type { Dashboard, dashboardsApi, DashboardVersion } from '@portico/contract/dashboards'
import type { Reply } from '@portico/contract/route'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { toVersion } from './dashboard-on-wire.ts'
import { getDashboard } from './dashboards.service.ts'
import { requireOwn, requireWithHistory } from './found-dashboard.ts'
import {
  contentOf,
  requireContacts,
  requireCurrent,
  requireSaver,
  saveVersion,
  storedDefinition,
} from './saving.service.ts'
import { requireSharable } from './sharing.service.ts'
import { selectVersion, selectVersions, type VersionRow } from './versions.queries.ts'
import type { Viewer } from './viewer.ts'

/** The kept versions, newest first. @throws not_found, not_author */
export async function listVersions(db: Db, viewer: Viewer, id: string): Promise<DashboardVersion[]> {
  await requireWithHistory(db, viewer, id)
  return (await selectVersions(db, viewer.account, id, 0)).map(toVersion)
}

/** @throws not_found, also for a version that is no longer kept; not_author */
export async function getVersion(
  db: Db,
  viewer: Viewer,
  id: string,
  version: number,
): Promise<Reply<typeof dashboardsApi.getDashboardVersion>> {
  await requireWithHistory(db, viewer, id)
  const row = await requireVersion(db, viewer, id, version)
  return { ...toVersion(row), name: row.name, definition: row.definition }
}

/**
 * Saves the name, tags and cells of an earlier version again, as the newest one. The sharing stays.
 * @param read the newest version that the caller has read
 * @throws not_found, not_author, not_allowed, newer_version, sharing_changed
 */
export async function restoreVersion(
  db: Db,
  viewer: Viewer,
  id: string,
  version: number,
  read: number | undefined,
): Promise<Dashboard> {
  return inTransaction(db, async (tx) => {
    const row = await requireOwn(tx, viewer, id)
    requireContacts(viewer)
    await requireCurrent(tx, viewer, row, read)
    const { sharedWith } = contentOf(row)
    const earlier = await requireVersion(tx, viewer, id, version)
    await requireSharable(tx, viewer, sharedWith, sharedWith)
    const after = { name: earlier.name, tags: earlier.tags, definition: storedDefinition(earlier), sharedWith }
    const holder = await requireSaver(tx, viewer, { id, content: after })
    const changes = `Restored version ${version}.`
    await saveVersion(tx, viewer, row, after, { action: 'dashboard restored', changes, holder })
    return getDashboard(tx, viewer, id)
  })
}

async function requireVersion(db: Db, { account }: Viewer, id: string, version: number): Promise<VersionRow> {
  const row = await selectVersion(db, account, id, version)
  if (!row) throw new AppError('not_found')
  return row
}
