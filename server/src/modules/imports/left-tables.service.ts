import type { AccountId } from '@portico/contract/accounts'
import { listAccounts } from '#accounts'
import type { Database, Db } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { deleteReviewsBefore, reviewsEnd } from './review/review.queries.ts'
import { dropLeftTable, selectLeftTables } from './loading/left-tables.queries.ts'

/**
 * Drops the working tables that ended imports of an account have left, because a server of the cluster was away at their
 * end (ADR 0073). Returns false while one still is.
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

const everyMs = 3600 * 1000

/** Drops such tables of all accounts every hour, as long as the process runs. */
export function dropLeftTablesHourly({ database: { db }, log }: { database: Database; log: Logger }): void {
  const dropAll = async (): Promise<void> => {
    for (const { Key: account } of await listAccounts(db)) {
      await deleteReviewsBefore(db, account, reviewsEnd(new Date()))
      await dropLeftTables(db, account)
    }
  }
  const drop = (): void => {
    dropAll().catch((error: unknown) => log.warn({ err: error }, 'working tables of imports were not dropped'))
  }
  setInterval(drop, everyMs).unref()
}
