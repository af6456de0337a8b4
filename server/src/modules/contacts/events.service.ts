import type { AccountId } from '@portico/contract/identity'
import type { Db } from '#platform/database.ts'
import { insertEvents, type NewEvent } from './events.queries.ts'

// Large enough that a statement's own cost no longer counts, small enough that nobody waits for the process meanwhile.
const eventsPerStatement = 1000

/**
 * Records any number of events of an account's contacts, as they come from a file or a collector: a statement for each
 * thousand of them, committed one by one unless `db` is a transaction. May be repeated after a failure, since an event
 * is known by its id. Events of contacts that do not exist are left out. Answers how many events were new.
 */
export async function recordEvents(
  db: Db,
  account: AccountId,
  events: Iterable<NewEvent> | AsyncIterable<NewEvent>,
): Promise<number> {
  let recorded = 0
  let batch: NewEvent[] = []
  for await (const event of events) {
    batch.push(event)
    if (batch.length < eventsPerStatement) continue
    recorded += await insertEvents(db, account, batch)
    batch = []
  }
  if (batch.length > 0) recorded += await insertEvents(db, account, batch)
  return recorded
}
