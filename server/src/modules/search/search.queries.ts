import type { OfferEvent } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { FilterField, Sql } from '#filters'
import { accountSchema, accountTable, type Db, inAccount } from '#platform/database.ts'

/** The ids of one page of contacts, in order. Only ids: sorting whole rows takes several times as long. */
export async function selectContactIds(
  db: Db,
  query: { from: Sql; where: Sql | null; orderBy: Sql | null; limit: number; skip: number },
): Promise<string[]> {
  const order = query.orderBy ? sql`${query.orderBy}, contacts.id` : sql`contacts.id`
  const { rows } = await sql<{ id: string }>`
    SELECT contacts.id FROM ${query.from} WHERE ${query.where ?? sql`TRUE`}
    ORDER BY ${order} LIMIT ${query.limit} OFFSET ${query.skip}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Values by contact id and, in the order of `fields`, by position; every field has to be of this table. */
export async function selectContactValues(
  db: Db,
  account: AccountId,
  table: string,
  fields: readonly FilterField[],
  ids: readonly string[],
): Promise<Map<string, unknown[]>> {
  const columns = fields.map((field, at) => sql`${field.sql} AS ${sql.id(`f${at}`)}`)
  const alias = sql.id(table)
  const { rows } = await sql<Record<string, unknown> & { id: string }>`
    SELECT ${sql.join([sql`${alias}.id AS id`, ...columns])} FROM ${accountTable(account, table)} AS ${alias}
    WHERE ${alias}.id = ANY(${sql.val(ids)}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, fields.map((_field, at) => row[`f${at}`])]))
}

type EventRow = Omit<z.output<typeof OfferEvent>, 'event_date'> & { event_date: Date }
type EventTables = { events: EventRow & { id: string; contact_id: string } }

// More than anybody reads; a contact that a script floods with events must not stop the page.
const maxEvents = 10_000

/** What is recorded of a contact's behaviour, newest first. */
export async function selectEvents(db: Db, account: AccountId, contactId: string): Promise<EventRow[]> {
  return inAccount<EventTables>(db, account)
    .selectFrom('events')
    .select([
      'event_code',
      'event_date',
      'app_code',
      'event_path',
      'event_element',
      'browser',
      'os',
      'ip',
      'is_trigger',
    ])
    .where('contact_id', '=', contactId)
    .orderBy('event_date', 'desc')
    .orderBy('id')
    .limit(maxEvents)
    .execute()
}

/** The columns that lead an index, as `table.column`. */
export async function selectIndexedColumns(db: Db, account: AccountId): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname || '.' || a.attname AS name
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE n.nspname = ${accountSchema(account)} AND i.indisvalid`.execute(db)
  return new Set(rows.map(({ name }) => name))
}
