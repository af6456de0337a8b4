import type { Dashboard, dashboardsApi } from '@portico/contract/dashboards'
import type { Input } from '@portico/contract/route'
import { selectAccount } from '#accounts'
import { recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import { inTransaction } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import {
  countSeen,
  type DashboardRow,
  deleteDashboardRow,
  selectDashboards,
  setFavourite,
  updateDashboard,
  type Viewer,
} from './dashboards.queries.ts'
import { toSharedWith } from './sharing.service.ts'

/** What requests about dashboards know of the caller. */
export type Context = Pick<AccountContext, 'db' | 'account' | 'caller' | 'actor' | 'address'>

async function viewerOf({ db, account, caller }: Context): Promise<Viewer> {
  const row = await selectAccount(db, account)
  const { personId, email } = caller
  return { personId, email, account, parent: row?.parentId ?? account, isAdministrator: isAdministrator(caller) }
}

/** The dashboards that the caller sees here, by name. */
export async function listDashboards(
  context: Context,
  { find, tag, definition, limit, skip }: Input<typeof dashboardsApi.listDashboards>,
): Promise<Dashboard[]> {
  const which = { find, tag, withDefinition: definition === 'true', limit, skip }
  const rows = await selectDashboards(context.db, await viewerOf(context), which)
  return rows.map((row) => toDashboard(context, row))
}

/** @throws not_found, also for one that is not shared with the caller here */
export async function getDashboard(context: Context, id: string): Promise<Dashboard> {
  return toDashboard(context, await requireSeen(context, id))
}

/** The row of a dashboard that the caller sees. @throws not_found */
export async function requireSeen(context: Context, id: string): Promise<DashboardRow> {
  if (!isDashboardId(id)) throw new AppError('not_found')
  const [row] = await selectDashboards(context.db, await viewerOf(context), {
    id,
    withDefinition: true,
    limit: 1,
    skip: 0,
  })
  if (!row) throw new AppError('not_found')
  return row
}

const isDashboardId = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

/** @throws not_found, not_author, only_dashboard */
export async function deleteDashboard(context: Context, id: string): Promise<void> {
  const { db, actor } = context
  const row = await requireAuthor(context, id)
  if ((await countSeen(db, await viewerOf(context))) < 2) throw new AppError('only_dashboard')
  await inTransaction(db, async (tx) => {
    await deleteDashboardRow(tx, row.account_id, id)
    await recordAudit(tx, {
      account: row.account_id,
      ...actor,
      action: 'dashboard deleted',
      subject: row.name,
      details: { id, version: row.version },
    })
  })
}

/** Makes the caller the author of a dashboard of this account whose author has left it. @throws not_found, not_author */
export async function takeOver(context: Context, id: string): Promise<Dashboard> {
  const { db, caller, actor } = context
  const row = await requireSeen(context, id)
  if (!mayTakeOver(context, row)) throw new AppError('not_author')
  await inTransaction(db, async (tx) => {
    await updateDashboard(tx, row.account_id, id, { author_id: caller.personId })
    await recordAudit(tx, {
      account: row.account_id,
      ...actor,
      action: 'dashboard taken over',
      subject: row.name,
      details: { id, from: row.author },
    })
  })
  return getDashboard(context, id)
}

/** Whether the caller may take a dashboard over: power users and power admins may, once the author can no longer enter the account of the dashboard. */
export function mayTakeOver({ account, caller }: Context, row: DashboardRow): boolean {
  return row.account_id === account && row.has_lost_author && isAdministrator(caller)
}

const isAdministrator = ({ isPowerAdmin, isPowerUser, kind }: Context['caller']): boolean =>
  (isPowerAdmin || isPowerUser) && kind !== 'impersonation'

export async function markFavourite(context: Context, id: string, isFavourite: boolean): Promise<Dashboard> {
  await requireSeen(context, id)
  await setFavourite(context.db, await viewerOf(context), id, isFavourite)
  return getDashboard(context, id)
}

export async function requireAuthor(context: Context, id: string): Promise<DashboardRow> {
  const row = await requireSeen(context, id)
  if (!row.is_author) throw new AppError('not_author')
  return row
}

function toDashboard(context: Context, row: DashboardRow): Dashboard {
  const isForHistory = row.is_author || mayTakeOver(context, row)
  return {
    _id: row.id,
    name: row.name,
    // Checked when it was saved.
    tags: row.tags as Dashboard['tags'],
    author: row.author ?? '',
    definition: row.definition,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    isAuthor: row.is_author,
    mayTakeOver: mayTakeOver(context, row),
    isFavourite: row.is_favourite,
    ...(isForHistory && { sharedWith: toSharedWith(row) }),
  }
}
