import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

// Serves the events of one contact, newest first, and the join of filters on events.
const contactIndex = 'events_contact_id_idx'

export async function hasEvents(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${accountTable(account, 'events')}) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/**
 * Drops the index of events by contact, since loading into an account without events is faster without it;
 * `buildEventIndexes` rebuilds it. The primary key stays, which keeps applications from recording an event twice in the
 * meantime. Must run in a transaction. Gives up after two seconds (`isLockTimeout`) while the events are being read.
 */
export async function dropEventIndexes(db: Db, account: AccountId): Promise<void> {
  await sql`SET LOCAL lock_timeout = '2s'`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(accountSchema(account), contactIndex)}`.execute(db)
}

/** Builds the index if it is missing. While it is built, events can be read, and recording them waits. */
export async function buildEventIndexes(db: Db, account: AccountId): Promise<void> {
  const name = `${accountSchema(account)}.${contactIndex}`
  const { rows } = await sql<{ found: boolean }>`SELECT to_regclass(${name}) IS NOT NULL AS found`.execute(db)
  // On Citus, IF NOT EXISTS would need every server even when there is nothing to do.
  if (rows[0]?.found) return
  await sql`CREATE INDEX IF NOT EXISTS ${sql.id(contactIndex)}
    ON ${accountTable(account, 'events')} (contact_id, event_date)`.execute(db)
}
