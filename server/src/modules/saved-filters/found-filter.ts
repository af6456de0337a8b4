import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { isUuid } from '#platform/ids.ts'
import { type SavedFilterRow, selectSavedFilter } from './saved-filters.queries.ts'

export async function findVisible(db: Db, account: AccountId, id: string): Promise<SavedFilterRow | undefined> {
  if (!isUuid(id)) return undefined
  return selectSavedFilter(db, account, id)
}

/** @throws not_found, also for a filter of the parent account that is not shown here */
export async function requireVisible(db: Db, account: AccountId, id: string): Promise<SavedFilterRow> {
  const row = await findVisible(db, account, id)
  if (!row) throw new AppError('not_found')
  return row
}

/** @throws not_found, parent_filter */
export async function requireOwn(db: Db, account: AccountId, id: string): Promise<SavedFilterRow> {
  const row = await requireVisible(db, account, id)
  if (row.account_id !== account) throw new AppError('parent_filter')
  return row
}
