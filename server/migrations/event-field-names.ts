import { fieldNameMaxLength } from '@portico/contract/contacts'
import { isCustomFieldName } from '@portico/contract/events'
import { eventFieldName } from '@portico/domain/event-fields'
import type pg from 'pg'

/** The JSON of custom fields: of events, and of those that a bulk delete keeps. */
const places = [
  { table: 'events', details: 'details', write: (value: string) => `details = ${value}`, where: 'TRUE' },
  {
    table: 'deleted_rows',
    details: `(data -> 'details')`,
    write: (value: string) => `data = jsonb_set(data, '{details}', ${value})`,
    where: `source = 'events'`,
  },
]

/**
 * Gives custom event fields of earlier releases the names in which they are kept now (`eventFieldName`), with their values. An
 * event that has two values under one such name keeps the second one as "name (2)". Reads the events once for each name that
 * changes, of which most accounts have none.
 */
export async function tidyEventFieldNames(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.event_fields ORDER BY name`)
  const known = new Set(rows.map(({ name }) => name))
  for (const { name } of rows) {
    const kept = eventFieldName(name)
    if (kept === name || !isCustomFieldName(kept)) continue
    await addField(client, schema, kept)
    known.add(kept)
    await moveValues(client, schema, { from: name, to: kept })
    const second = freeName(kept, known)
    if ((await moveValues(client, schema, { from: name, to: second })) > 0) {
      await addField(client, schema, second)
      known.add(second)
    }
    await client.query(`DELETE FROM ${schema}.event_fields WHERE name = $1`, [name])
  }
  await tidyOffered(client, schema)
}

async function addField(client: pg.ClientBase, schema: string, name: string): Promise<void> {
  await client.query(`INSERT INTO ${schema}.event_fields (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`, [name])
}

function freeName(name: string, known: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const suffix = ` (${number})`
    const free = `${name.slice(0, fieldNameMaxLength - suffix.length).toWellFormed()}${suffix}`
    if (!known.has(free)) return free
  }
}

/** Moves values to another name, except where an event has another value under it. Returns the number of rows changed. */
async function moveValues(
  client: pg.ClientBase,
  schema: string,
  { from, to }: { from: string; to: string },
): Promise<number> {
  let moved = 0
  for (const { table, details, write, where } of places) {
    const { rowCount } = await client.query(
      `UPDATE ${schema}.${table}
       SET ${write(`jsonb_set(${details} - $1::text, ARRAY[$2::text], ${details} -> $1::text)`)}
       WHERE ${where} AND jsonb_exists(${details}, $1::text)
         AND coalesce(${details} -> $1::text = ${details} -> $2::text, TRUE)`,
      [from, to],
    )
    moved += rowCount ?? 0
  }
  return moved
}

/** Names that pages have sent are offered as they would be added. */
async function tidyOffered(client: pg.ClientBase, schema: string): Promise<void> {
  const table = `${schema}.offered_event_fields`
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${table} ORDER BY name`)
  for (const { name } of rows) {
    const kept = eventFieldName(name)
    if (kept === name) continue
    if (isCustomFieldName(kept)) {
      await client.query(
        `INSERT INTO ${table} (name, first_seen_at, last_seen_at)
         SELECT $2, first_seen_at, last_seen_at FROM ${table} WHERE name = $1 ON CONFLICT (name) DO NOTHING`,
        [name, kept],
      )
    }
    await client.query(`DELETE FROM ${table} WHERE name = $1`, [name])
  }
}
