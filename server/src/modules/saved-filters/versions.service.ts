import type { AccountId } from '@portico/contract/accounts'
import {
  type FilterVersion,
  type FilterVersionEntry,
  listedVersionLength,
  versionsKept,
} from '@portico/contract/saved-filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import type { SavedFilterRow } from './saved-filters.queries.ts'
import { requireOwn } from './found-filter.ts'
import {
  deleteOldVersions,
  type FilterVersionRow,
  insertVersions,
  selectVersion,
  selectVersions,
} from './versions.queries.ts'

/**
 * The last versions of one of the account's own filters, newest first. One of an earlier release that has not been saved
 * since has none.
 * @throws not_found, parent_filter
 */
export async function listFilterVersions(db: Db, account: AccountId, id: string): Promise<FilterVersionEntry[]> {
  await requireOwn(db, account, id)
  const rows = await selectVersions(db, account, id, listedVersionLength)
  return rows.map(({ query, ...row }) => ({ ...toEntry(row), aggregateQuery: query }))
}

/** @throws not_found, also for a version that is no longer kept; parent_filter */
export async function getFilterVersion(
  db: Db,
  account: AccountId,
  id: string,
  version: number,
): Promise<FilterVersion> {
  await requireOwn(db, account, id)
  const row = await selectVersion(db, account, id, version)
  if (!row) throw new AppError('not_found')
  return { ...toEntry(row), aggregateQuery: row.aggregate_query }
}

type Saved = SavedFilterRow & VersionRow

/** Keeps a saved filter as a version, and the version before, if it is known and was not kept: earlier releases kept none. */
export async function keepVersion(tx: Db, account: AccountId, saved: Saved, before?: Saved): Promise<void> {
  await insertVersions(tx, account, [...(before ? [versionOf(before)] : []), versionOf(saved)])
  await deleteOldVersions(tx, account, saved.id, versionsKept)
}

function versionOf(row: Saved): FilterVersionRow {
  const { id, version, name, aggregate_query, show_in_subaccounts, creator, updated_at } = row
  const save = row.saves.find((each) => each.version === version)
  const by = save
    ? { saved_by: save.savedBy, saved_at: new Date(save.savedAt) }
    : { saved_by: creator, saved_at: updated_at }
  return { filter_id: id, version, name, aggregate_query, show_in_subaccounts, ...by }
}

const toEntry = (row: Omit<FilterVersionRow, 'aggregate_query'>) => ({
  version: row.version,
  name: row.name,
  showInSubaccounts: row.show_in_subaccounts,
  savedBy: row.saved_by,
  savedAt: row.saved_at.toISOString(),
})
