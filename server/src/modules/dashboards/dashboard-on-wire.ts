import type { Dashboard, DashboardVersion, SharedWith } from '@portico/contract/dashboards'
import type { DashboardRow } from './dashboards.queries.ts'
import type { VersionRow } from './versions.queries.ts'
import { isAdministrator, type Viewer } from './viewer.ts'

/** Whether the viewer is the author, in the account that the dashboard belongs to. */
export const isAuthor = (row: DashboardRow, { account, caller }: Viewer): boolean =>
  row.account === account && row.authorId === caller.personId

/** Whether the viewer may become its author, if they could share it as it is (`requireSharableNow`). */
export const mayTakeOver = (row: DashboardRow, viewer: Viewer): boolean =>
  row.account === viewer.account && row.hasAuthorLeft && isAdministrator(viewer, row.id)

export function toDashboard(row: DashboardRow, viewer: Viewer): Dashboard {
  const rights = { isAuthor: isAuthor(row, viewer), mayTakeOver: mayTakeOver(row, viewer) }
  return {
    _id: row.id,
    name: row.name,
    // Only tags in the contract are stored.
    tags: row.tags as Dashboard['tags'],
    author: row.author,
    definition: row.definition,
    version: row.version,
    updatedAt: row.savedAt.toISOString(),
    ...rights,
    isFavourite: row.isFavourite,
    ...((rights.isAuthor || rights.mayTakeOver) && { sharedWith: sharedWithOf(row) }),
  }
}

export function sharedWithOf({
  sharedParents,
  sharedAccounts,
  sharedUsers,
}: Pick<DashboardRow, 'sharedParents' | 'sharedAccounts' | 'sharedUsers'>): SharedWith {
  return { paids: sharedParents ?? 'all', aids: sharedAccounts ?? 'all', users: sharedUsers ?? 'all' }
}

/** Expects emails in lower case. */
export function sharingColumns({ paids, aids, users }: SharedWith) {
  return {
    shared_parents: paids === 'all' ? null : paids,
    shared_accounts: aids === 'all' ? null : aids,
    shared_users: users === 'all' ? null : users,
  }
}

export function toVersion({ version, savedBy, savedAt, changes }: Omit<VersionRow, 'definition'>): DashboardVersion {
  return { version, savedBy, savedAt: savedAt.toISOString(), changes }
}
