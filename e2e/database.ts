import pg from 'pg'
import { databaseUrl } from './portal.ts'

// What the portal has no screen for, done straight in its database. `databaseName` is the account's, as its imports name it.

/** Something that a contact did. */
export type Event = { code: string; date: string; path?: string; browser?: string }

/** Records what a contact did; in life that comes from the pages that contacts visit. */
export async function recordEvents(databaseName: string, contactId: string, events: Event[]): Promise<void> {
  const client = await connect()
  for (const { code, date, path = null, browser = null } of events) {
    await client.query(
      `INSERT INTO ${pg.escapeIdentifier(databaseName)}.events
        (id, contact_id, event_code, event_date, event_path, browser, app_code, is_trigger)
        VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, 'site', false)`,
      [contactId, code, date, path, browser],
    )
  }
  await client.end()
}

/** Keeps everyone from the account's contacts, so that an import stays in its midst until the answered function is called. */
export async function holdContacts(databaseName: string): Promise<() => Promise<void>> {
  const client = await connect()
  await client.query('BEGIN')
  await client.query(`LOCK TABLE ${pg.escapeIdentifier(databaseName)}.contacts`)
  return () => client.end()
}

/** Lets the days of an export's file be over. */
export async function agePastExport(databaseName: string, id: string): Promise<void> {
  const client = await connect()
  await client.query(
    `UPDATE ${pg.escapeIdentifier(databaseName)}.exports SET last_activity_at = now() - interval '31 days' WHERE id = $1`,
    [id],
  )
  await client.end()
}

/** Lets the time be over for which someone need not give the password again. */
export async function agePastGivenPassword(email: string): Promise<void> {
  const client = await connect()
  await client.query(
    `UPDATE portico.sessions s SET password_given_at = password_given_at - interval '16 minutes'
      FROM portico.persons p WHERE p.id = s.person_id AND p.email = $1`,
    [email],
  )
  await client.end()
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl() })
  await client.connect()
  return client
}
