import pg from 'pg'
import { loadContacts, waitUntil } from './import-bench.ts'
import type { Client, Portal } from './portal.ts'

const eventsPerContact = 3

/** Names of the tables and columns of the account that is searched. */
export type SearchData = {
  contacts: string
  keys: string
  events: string
  /** Column of the full-text index; null in an account too small to have one. */
  words: string | null
  column: (name: string) => string
}

/**
 * Prepares an account for searches: the contacts of the file with their coordinates, three events per contact, indexes
 * on Email and Score, and a full-text index. Events are written directly to the database, everything else by the
 * portal.
 */
export async function loadSearchData(portal: Portal, file: string): Promise<SearchData> {
  await loadContacts(portal, file, { latitudeColumn: 'Latitude', longitudeColumn: 'Longitude' })
  const schema = `account_${portal.account}`
  await writeEvents(portal.databaseUrl, schema)
  await buildIndexes(portal, ['Email', 'Score'])
  const hasFullTextIndex = await buildFullTextIndex(portal)
  await tidyUp(portal.databaseUrl)
  const fields = await portal.get<{ name: string }[]>('/contact-service/v1/fields')
  return {
    contacts: `${schema}.contacts`,
    keys: `${schema}.contact_keys`,
    events: `${schema}.events`,
    words: hasFullTextIndex ? `${schema}.contact_words` : null,
    column: (name) => `c${fields.findIndex((field) => field.name === name) + 1}`,
  }
}

/** Writes the same events in every run: codes, applications and dates follow from the event's number. */
async function writeEvents(databaseUrl: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`
      INSERT INTO ${schema}.events
        (id, contact_id, event_code, event_date, app_code, event_path, event_element, browser, os, ip, is_trigger)
      SELECT lpad(to_hex(row_number() OVER ()), 32, '0')::uuid, id,
        (ARRAY['page_view', 'page_view', 'page_view', 'page_view', 'page_view', 'page_view', 'click', 'click',
          'form_submit', 'purchase'])[1 + (hashint8(id * 31 + n) & 1023) % 10],
        timestamptz '2025-01-01Z' + ((hashint8(id * 37 + n) & 1048575) % 525600) * interval '1 minute',
        (ARRAY['web', 'mail', 'shop'])[1 + (hashint8(id * 41 + n) & 1023) % 3],
        '/page/' || (hashint8(id * 43 + n) & 1023) % 50, 'button', 'Firefox', 'Linux', '192.0.2.1', FALSE
      FROM ${schema}.contacts, generate_series(1, ${eventsPerContact}) AS n`)
    await client.query(`ANALYZE ${schema}.events`)
  } finally {
    await client.end()
  }
}

/** Runs the maintenance now that would otherwise run during the measurements. */
async function tidyUp(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('VACUUM (ANALYZE)')
    await client.query('CHECKPOINT')
  } finally {
    await client.end()
  }
}

/** Creates an index on each of the fields, and waits until all are ready. */
export async function buildIndexes(portal: Client, fields: readonly string[]): Promise<void> {
  for (const field of fields) await portal.post('/contact-service/v1/indexes', { key: [[field, 1]] })
  await waitUntil(async () => {
    const indexes = await portal.get<{ state: string; isInternal: boolean }[]>('/contact-service/v1/indexes/details')
    return indexes.every(({ state }) => state === 'ready')
  })
}

/** Triggers the build of the full-text index by a search. Returns false for an account too small to have one. */
async function buildFullTextIndex(portal: Portal): Promise<boolean> {
  const client = new pg.Client({ connectionString: portal.databaseUrl })
  await client.connect()
  const find = encodeURIComponent(JSON.stringify([{ $match: { $text: { $search: 'springfield' } } }]))
  const start = performance.now()
  // The index counts as current only if the last import ended ten seconds before the build.
  await new Promise((resolve) => setTimeout(resolve, 11_000))
  try {
    // Without the index, the search itself may time out, but it has requested the index by then.
    await portal.get(`/contact-service/v1/offers?limit=1&find=${find}`).catch(() => {})
    const readState = () =>
      client.query<{ is_built: boolean }>(
        `SELECT built_at IS NOT NULL AS is_built FROM account_${portal.account}.contact_word_index`,
      )
    if ((await readState()).rows.length === 0) return false
    await waitUntil(async () => (await readState()).rows[0]?.is_built ?? false)
    console.log(`The full-text index took ${((performance.now() - start - 11_000) / 1000).toFixed(1)} s.`)
    return true
  } finally {
    await client.end()
  }
}
