import type { DashboardVersion } from '@portico/contract/dashboards'
import { AppError } from '#platform/app-error.ts'
import type { DashboardRow } from './dashboards.queries.ts'
import { type Context, mayTakeOver, requireSeen } from './dashboards.service.ts'
import type { Tables } from './tables.ts'
import { selectVersion, selectVersions } from './versions.queries.ts'

/** @throws not_found, not_author */
export async function listVersions(context: Context, id: string): Promise<DashboardVersion[]> {
  const row = await requireHistory(context, id)
  return (await selectVersions(context.db, row.account_id, id)).map(toVersion)
}

/** @throws not_found, not_author */
export async function getVersion(
  context: Context,
  id: string,
  version: number,
): Promise<DashboardVersion & { name: string; definition: string }> {
  const row = await requireHistory(context, id)
  const found = await selectVersion(context.db, row.account_id, id, version)
  if (!found) throw new AppError('not_found')
  return { ...toVersion(found), name: found.name, definition: found.definition }
}

async function requireHistory(context: Context, id: string): Promise<DashboardRow> {
  const row = await requireSeen(context, id)
  if (!row.is_author && !mayTakeOver(context, row)) throw new AppError('not_author')
  return row
}

/** A version as clients get it. */
export const toVersion = (
  row: Pick<Tables['dashboard_versions'], 'version' | 'saved_by' | 'saved_at' | 'changes'>,
) => ({
  version: row.version,
  savedBy: row.saved_by,
  savedAt: row.saved_at.toISOString(),
  changes: row.changes,
})
