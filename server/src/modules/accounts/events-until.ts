import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import { updateEventsUntil } from './accounts.queries.ts'

// Single events are far too many to count each up: they are noted for a while ahead, once in that while.
const aheadMs = 30_000

/** What this process has noted, by database and account. */
const noted = new WeakMap<Db, Map<AccountId, number>>()

/** Notes that single events arrive in the account, so that answers about it are not remembered for long. */
export async function noteEvents(db: Db, account: AccountId, now = Date.now()): Promise<void> {
  const known = noted.get(db) ?? new Map<AccountId, number>()
  noted.set(db, known)
  if ((known.get(account) ?? 0) > now) return
  await updateEventsUntil(db, account, new Date(now + aheadMs))
  known.set(account, now + aheadMs)
}
