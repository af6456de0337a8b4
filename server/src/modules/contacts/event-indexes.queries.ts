import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

// The events of one contact, newest first, and the join of behavioural filters.
const contactIndex = 'events_contact_id_idx'

export async function hasEvents(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${accountTable(account, 'events')}) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/**
 * An account without events is loaded faster without what finds them by contact; `buildEventIndexes` brings it back. The
 * primary key stays: applications may record events meanwhile, and are kept from doing so twice by it.
 * Has to run in a transaction; gives up after a moment (`isLockTimeout`) when somebody reads the events for long.
 */
export async function dropEventIndexes(db: Db, account: AccountId): Promise<void> {
  await sql`SET LOCAL lock_timeout = '2s'`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(accountSchema(account), contactIndex)}`.execute(db)
}

/** Builds the index where it is missing, whole or not at all. Searches go on meanwhile; who records events waits. */
export async function buildEventIndexes(db: Db, account: AccountId): Promise<void> {
  await sql`CREATE INDEX IF NOT EXISTS ${sql.id(contactIndex)}
    ON ${accountTable(account, 'events')} (contact_id, event_date)`.execute(db)
}
