import { dashboardsApi } from '@portico/contract/dashboards'
import type { Db } from '#platform/database.ts'
import type { StoredSave } from '#platform/http/serving-stored.ts'
import { isUuid } from '#platform/ids.ts'
import { selectDashboard } from './dashboards.queries.ts'
import { dashboardViewerOf } from './found-dashboard.ts'
import { contentOf, storedDefinition } from './saving.service.ts'
import { selectVersion } from './versions.queries.ts'
import type { Viewer } from './viewer.ts'

/**
 * Finds the save by which conditions judge a call that acts on a stored dashboard: of its present content, or of that of one of its
 * versions with the present sharing. Null if the viewer sees no such dashboard, or there is no such version.
 */
export async function findDashboardSave(
  db: Db,
  viewer: Viewer,
  id: string,
  version?: number,
): Promise<StoredSave | null> {
  const row = isUuid(id) ? await selectDashboard(db, viewer.account, dashboardViewerOf(viewer, id), id) : undefined
  const earlier = version === undefined ? row : row && (await selectVersion(db, viewer.account, id, version))
  if (!row || !earlier) return null
  const { name, tags } = earlier
  const { sharedWith } = contentOf(row)
  const body = { name, tags, sharedWith, definition: JSON.stringify(storedDefinition(earlier)) }
  return { save: dashboardsApi.updateDashboard, requests: [{ params: [id], query: undefined, body }] }
}
