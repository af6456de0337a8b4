import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { contactsTable } from '#contacts'
import { conditionsAfter, type FilterField, type Order, orderTerms, type Sql } from '#filters'
import { accountTable, type Db, selectValues } from '#platform/database.ts'

/** A page of contacts in an order; ties are in the order of ids. */
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

// Beyond this, skipping by ids alone is faster, since it reads no rows.
const mostSkippedRows = 1000

/**
 * The contacts of a page, as `selectContacts` takes them. In the order of ids there is little or nothing to sort, so
 * rows are read directly; in another order the ids are found first, and then the rows of the page.
 */
export function contactsOf(page: ContactPage): WantedContacts {
  const isById = page.orders.length === 0 && page.skip <= mostSkippedRows
  return isById ? { rows: pageOf(sql`contacts.*`, page) } : { ids: contactIds(page) }
}

export async function selectContactIds(db: Db, page: ContactPage): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${contactIds(page)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Tells which of the sort values a contact lacks; null if there is no such contact. */
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

/**
 * The page after a contact in the order of `page`, as parts to query in turn until the page is full. Each part lets an
 * index scan start where it starts. `missing`: which of the sort values the contact lacks.
 */
export function pagesAfter(page: Omit<ContactPage, 'skip'>, id: string, missing: boolean[]): ContactPage[] {
  const { from, where, orders } = page
  const lastId = sql`${id}::bigint`
  // Compared in the database, which has them at full precision.
  const values = orders.map((order) => sql`(SELECT ${order.sql} FROM ${from} WHERE contacts.id = ${lastId})`)
  return conditionsAfter(orders, values, missing, sql`contacts.id`, lastId).map((condition) => ({
    ...page,
    where: where ? sql`${where} AND ${condition}` : condition,
    skip: 0,
  }))
}

/** Contacts to read, as a query: rows of `contacts` by their ids, or ids of contacts in the wanted order. */
export type WantedContacts = { rows: Sql } | { ids: Sql }

/** The id of a contact, then values in the order of the requested fields, dates in the format for clients. */
export type ContactRow = [id: string, ...values: unknown[]]

// PostgreSQL returns at most 1,664 columns at once, and an account may have more fields.
const fieldsAtOnce = 1500

/**
 * Contacts in the wanted order, without those deleted in the meantime. One statement for all but very wide accounts.
 */
export async function selectContacts(
  db: Db,
  account: AccountId,
  wanted: WantedContacts,
  fields: ContactColumns,
): Promise<ContactRow[]> {
  if (fields.length <= fieldsAtOnce) return selectValuesOf(db, account, wanted, fields)
  const rows = await selectValuesOf(db, account, wanted, fields.slice(0, fieldsAtOnce))
  const byId = new Map(rows.map((row) => [row[0], row]))
  for (let at = fieldsAtOnce; at < fields.length && rows.length > 0; at += fieldsAtOnce) {
    const more = fields.slice(at, at + fieldsAtOnce)
    for (const [id, ...values] of await selectValuesOf(db, account, idList([...byId.keys()]), more)) {
      byId.get(id)?.push(...values)
    }
  }
  return rows
}

/** The same in the order of `ids`. */
export async function selectContactsById(
  db: Db,
  account: AccountId,
  ids: string[],
  fields: ContactColumns,
): Promise<ContactRow[]> {
  return ids.length === 0 ? [] : selectContacts(db, account, idList(ids), fields)
}

function idList(ids: string[]): WantedContacts {
  return { ids: sql`SELECT id FROM unnest(${sql.val(ids)}::bigint[]) AS ids (id)` }
}

async function selectValuesOf(
  db: Db,
  account: AccountId,
  wanted: WantedContacts,
  fields: ContactColumns,
): Promise<ContactRow[]> {
  const others = [...new Set(fields.map(({ table }) => table))].filter((table) => table !== 'contacts')
  const joins = others.map(
    (table) => sql`LEFT JOIN ${accountTable(account, table)} AS ${sql.id(table)} ON ${sql.id(table)}.id = contacts.id`,
  )
  const contacts =
    'rows' in wanted
      ? sql`(${wanted.rows}) AS contacts`
      : sql`(SELECT id, row_number() OVER () AS place FROM (${wanted.ids}) AS ids) AS page
    JOIN ${contactsTable(account)} AS contacts ON contacts.id = page.id`
  const rows = await selectValues(
    db,
    sql`
    SELECT ${selectList(db, fields)} FROM ${sql.join([contacts, ...joins], sql` `)}
    ORDER BY ${'rows' in wanted ? sql`contacts.id` : sql`page.place`}`,
  )
  return rows as ContactRow[]
}

type ContactColumns = readonly (FilterField & { table: string })[]

const selectLists = new WeakMap<ContactColumns, Sql>()

/** The id of a contact, and `fields`. Cached as text, since page after page selects the same. */
function selectList(db: Db, fields: ContactColumns): Sql {
  const known = selectLists.get(fields)
  if (known) return known
  // Fields are columns named by the portal: their SQL has no parameters.
  const list = sql.raw(sql.join([sql`contacts.id`, ...fields.map((field) => field.sql)]).compile(db).sql)
  selectLists.set(fields, list)
  return list
}
