import type { OfferEvent } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import type { z } from 'zod'
import { type FilterField, type Order, orderTerms, type Sql } from '#filters'
import { accountSchema, accountTable, type Db, inAccount, selectValues } from '#platform/database.ts'

/** A page of contacts: which, in what order. */
export type ContactPage = { from: Sql; where: Sql | null; orders: Order[]; limit: number; skip: number }

/** The ids of one page of contacts, in order, as a query. Only ids: sorting whole rows takes several times as long. */
export function contactIds(page: ContactPage): Sql {
  return pageOf(sql`contacts.id`, page)
}

function pageOf(columns: Sql, page: ContactPage): Sql {
  const order = sql.join([...(page.orders.length > 0 ? [orderTerms(page.orders)] : []), sql`contacts.id`])
  return sql`
    SELECT ${columns} FROM ${page.from} WHERE ${page.where ?? sql`TRUE`}
    ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.skip}`
}

// Rows that are skipped by their ids alone need not be read.
const mostSkippedRows = 1000

/**
 * The contacts of a page as `selectContactValues` takes them. By their ids there is little to sort, if anything, so rows
 * are found once; in another order their ids are found first, and then the rows of the page.
 */
export function contactsOf(page: ContactPage): WantedContacts {
  const isById = page.orders.length === 0 && page.skip <= mostSkippedRows
  return isById ? { rows: pageOf(sql`contacts.*`, page) } : { ids: contactIds(page) }
}

/** The ids of one page of contacts, asked. */
export async function selectContactIds(db: Db, page: ContactPage): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${contactIds(page)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Which of the values that contacts are sorted by one of them misses; null when it is not there. */
export async function selectMissing(
  db: Db,
  query: { from: Sql; orders: Order[]; id: string },
): Promise<boolean[] | null> {
  const columns = query.orders.map((order, at) => sql`${order.sql} IS NULL AS ${sql.id(`f${at}`)}`)
  const { rows } = await sql<Record<string, boolean>>`
    SELECT ${sql.join([sql`TRUE AS found`, ...columns])} FROM ${query.from} WHERE contacts.id = ${query.id}`.execute(db)
  const [row] = rows
  return row ? query.orders.map((_order, at) => row[`f${at}`] ?? false) : null
}

/** Rows of a pipeline: their values in the order of `width` columns. */
export async function selectPipelineRows(db: Db, select: Sql, width: number): Promise<unknown[][]> {
  const { rows } = await sql<Record<string, unknown>>`${select}`.execute(db)
  return rows.map((row) => Array.from({ length: width }, (_value, at) => row[`f${at}`] ?? null))
}

/** The number that a query gives as `count`. */
export async function selectCount(db: Db, query: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`${query}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Contacts to be read, as a query: rows of `contacts` by their ids, or ids of contacts in the order wanted. */
export type WantedContacts = { rows: Sql } | { ids: Sql }

/**
 * Contacts in the order wanted: id, then values in the order of `fields`, dates as clients get them. One that is not there
 * is left out. No more fields than PostgreSQL gives at once.
 */
export async function selectContactValues(
  db: Db,
  account: AccountId,
  wanted: WantedContacts,
  fields: ContactColumns,
): Promise<[id: string, ...values: unknown[]][]> {
  const others = [...new Set(fields.map(({ table }) => table))].filter((table) => table !== 'contacts')
  const joins = others.map(
    (table) => sql`LEFT JOIN ${accountTable(account, table)} AS ${sql.id(table)} ON ${sql.id(table)}.id = contacts.id`,
  )
  const contacts =
    'rows' in wanted
      ? sql`(${wanted.rows}) AS contacts`
      : sql`(SELECT id, row_number() OVER () AS place FROM (${wanted.ids}) AS ids) AS page
    JOIN ${accountTable(account, 'contacts')} AS contacts ON contacts.id = page.id`
  const rows = await selectValues(
    db,
    sql`
    SELECT ${selectList(db, fields)} FROM ${sql.join([contacts, ...joins], sql` `)}
    ORDER BY ${'rows' in wanted ? sql`contacts.id` : sql`page.place`}`,
  )
  return rows as [string, ...unknown[]][]
}

type ContactColumns = readonly (FilterField & { table: string })[]

const selectLists = new WeakMap<ContactColumns, Sql>()

/** The id of a contact, and `fields`: put into words once, since page after page selects the same. */
function selectList(db: Db, fields: ContactColumns): Sql {
  const known = selectLists.get(fields)
  if (known) return known
  // Fields are columns of the portal's own naming: nothing in their SQL is a parameter.
  const list = sql.raw(sql.join([sql`contacts.id`, ...fields.map((field) => field.sql)]).compile(db).sql)
  selectLists.set(fields, list)
  return list
}

type EventRow = Omit<z.output<typeof OfferEvent>, 'event_date' | 'pdid' | 'details'> & {
  event_date: Date
  pdid: string | null
  details: Record<string, unknown> | null
}
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
      'pdid',
      'details',
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
