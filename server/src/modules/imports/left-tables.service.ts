import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { deleteReviewsBefore, reviewsEnd } from './review/review.queries.ts'
import { dropLeftTable, selectLeftTables } from './loading/left-tables.queries.ts'

/**
 * Drops the working tables that ended imports of an account have left because a server of the cluster was away (ADR
 * 0073). Returns false while one still is.
 */
export async function dropLeftTables(db: Db, account: AccountId): Promise<boolean> {
  try {
    for (const name of await selectLeftTables(db, account)) await dropLeftTable(db, account, name)
    return true
  } catch (error) {
    if (!isServerAway(error)) throw error
    return false
  }
}

/** Deletes reviews that have finally ended, and drops working tables that no import or review needs. */
export async function removeLeftOfImports(db: Db, account: AccountId): Promise<void> {
  await deleteReviewsBefore(db, account, reviewsEnd(new Date()))
  await dropLeftTables(db, account)
}
