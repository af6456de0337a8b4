import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { isAuthor, mayTakeOver } from './dashboard-on-wire.ts'
import {
  type DashboardViewer,
  type DashboardRow,
  lockDashboard,
  selectCurrentVersion,
  selectDashboard,
} from './dashboards.queries.ts'
import { isAdministrator, type Viewer } from './viewer.ts'
import { isUuid } from '#platform/ids.ts'

/** `id`: the id of the dashboard, if only one is looked for. */
export function dashboardViewerOf(viewer: Viewer, id?: string): DashboardViewer {
  const { personId, email } = viewer.caller
  return { personId, email, isAdministrator: isAdministrator(viewer, id) }
}

/** @throws not_found, also for a dashboard that the viewer cannot see here */
export async function requireDashboard(db: Db, viewer: Viewer, id: string): Promise<DashboardRow> {
  const row = isUuid(id) ? await selectDashboard(db, viewer.account, dashboardViewerOf(viewer, id), id) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

/**
 * The current version of a dashboard, and the holder whose rights it is read with.
 * @throws not_found as in `requireDashboard`
 */
export async function requireCurrentVersion(
  db: Db,
  viewer: Viewer,
  id: string,
): Promise<Pick<DashboardRow, 'version' | 'holder'>> {
  const row = isUuid(id) ? await selectCurrentVersion(db, viewer.account, dashboardViewerOf(viewer, id), id) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

/** Finds a dashboard and locks it until the end of the transaction `tx`. @throws not_found, not_author */
export async function requireOwn(tx: Db, viewer: Viewer, id: string): Promise<DashboardRow> {
  const row = await requireLocked(tx, viewer, id)
  if (isAuthor(row, viewer)) return row
  const isAuthorElsewhere = row.authorId === viewer.caller.personId
  throw new AppError(
    'not_author',
    undefined,
    isAuthorElsewhere ? 'You made this dashboard in another account. Switch to that account to change it.' : undefined,
  )
}

/**
 * Like `requireOwn`, for a dashboard whose author has left.
 * @throws not_found, not_author
 */
export async function requireLeft(tx: Db, viewer: Viewer, id: string): Promise<DashboardRow> {
  const row = await requireLocked(tx, viewer, id)
  if (mayTakeOver(row, viewer)) return row
  throw new AppError(
    'not_author',
    undefined,
    'Only administrators can take over a dashboard, and only after its author has left the account.',
  )
}

/**
 * Returns a dashboard for its author, or for viewers who may become the author.
 * @throws not_found, not_author
 */
export async function requireWithHistory(db: Db, viewer: Viewer, id: string): Promise<DashboardRow> {
  const row = await requireDashboard(db, viewer, id)
  if (isAuthor(row, viewer) || mayTakeOver(row, viewer)) return row
  throw new AppError('not_author')
}

async function requireLocked(tx: Db, viewer: Viewer, id: string): Promise<DashboardRow> {
  if (isUuid(id)) await lockDashboard(tx, viewer.account, id)
  return requireDashboard(tx, viewer, id)
}
