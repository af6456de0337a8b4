import pg from 'pg'
import { databaseUrl } from './portal.ts'

/** Something that a contact did. */
export type Event = { code: string; date: string; path?: string; browser?: string }

/**
 * Records what a contact did. Straight into the database, as the portal has no screen for that: events come from the
 * pages that contacts visit. `databaseName` is the account's, as its imports name it.
 */
export async function recordEvents(databaseName: string, contactId: string, events: Event[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl() })
  await client.connect()
  try {
    for (const { code, date, path = null, browser = null } of events) {
      await client.query(
        `INSERT INTO ${pg.escapeIdentifier(databaseName)}.events
          (id, contact_id, event_code, event_date, event_path, browser, app_code, is_trigger)
          VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, 'site', false)`,
        [contactId, code, date, path, browser],
      )
    }
  } finally {
    await client.end()
  }
}
