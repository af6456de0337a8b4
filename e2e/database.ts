import pg from 'pg'
import { databaseUrl } from './portal.ts'

// Changes without a screen, made directly in the database. `databaseName` is the account's, as in its imports.

/** An event of a contact. */
export type Event = { code: string; date: string; path?: string; browser?: string }

/** Records an event of a contact, as web pages would. */
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

/** Locks the account's contacts: an import stays in progress until the returned function is called. */
export async function holdContacts(databaseName: string): Promise<() => Promise<void>> {
  const client = await connect()
  await client.query('BEGIN')
  await client.query(`LOCK TABLE ${pg.escapeIdentifier(databaseName)}.contacts`)
  return () => client.end()
}

/** Makes the file of an export expire. */
export async function agePastExport(databaseName: string, id: string): Promise<void> {
  const client = await connect()
  await client.query(
    `UPDATE ${pg.escapeIdentifier(databaseName)}.exports SET last_activity_at = now() - interval '31 days' WHERE id = $1`,
    [id],
  )
  await client.end()
}

/** Ends the period after a sign-in in which no password is required again. */
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
