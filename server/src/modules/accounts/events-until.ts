import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import { withShortWaits } from '#platform/strangers/locked-accounts.ts'
import { updateEventsUntil } from './accounts.queries.ts'

// Single events are too frequent to increment a version for each. One update covers the next 30 seconds.
const aheadMs = 30_000

/** Times until which this process has announced events (ms), by database and account. */
const announced = new WeakMap<Db, Map<AccountId, number>>()

/** Announces that single events arrive in the account, so cached results about it expire soon. */
export async function noteEvents(db: Db, account: AccountId, now = Date.now()): Promise<void> {
  const known = announced.get(db) ?? new Map<AccountId, number>()
  announced.set(db, known)
  if ((known.get(account) ?? 0) > now) return
  // An import that changes fields keeps the account's row until it commits.
  await withShortWaits(db, (tx) => updateEventsUntil(tx, account, new Date(now + aheadMs)))
  known.set(account, now + aheadMs)
}
