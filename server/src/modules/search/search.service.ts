import type { Field, Offer } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import type { ListQuery } from '@portico/contract/list-query'
import type { Transaction } from 'kysely'
import { listContactFields } from '#contacts'
import {
  type Asker,
  compilePipeline,
  compileSort,
  type ContactFilterField,
  type ContactSource,
  countRows,
  openContactSource,
  userQuery,
} from '#filters'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { selectContactIds, selectContactValues, selectEvents, selectIndexedColumns } from './search.queries.ts'
import { readSelection } from './selection.ts'

export async function listFields(db: Db, account: AccountId): Promise<Field[]> {
  const indexed = await selectIndexedColumns(db, account)
  const fields = await listContactFields(db, account)
  return fields.map(({ name, type, table, column }) => ({ name, type, isIndexed: indexed.has(`${table}.${column}`) }))
}

/**
 * A page of the contacts that match a filter, or their number. Unsorted they come by id, which is the order in which
 * they were imported.
 * @throws invalid_filter, timed_out, invalid_input for an unknown field in `select`
 */
export async function listOffers(
  asker: Asker,
  account: AccountId,
  query: ListQuery,
): Promise<Offer[] | { count: number }> {
  const source = await openContactSource(asker.db, account)
  const { resolve, from } = source.scope()
  const { where } = compilePipeline(query.find ?? [], resolve)
  if (query.count !== undefined) {
    return { count: await userQuery(asker, (tx) => countRows(tx, account, from(), where)) }
  }
  const orderBy = query.sort ? compileSort(query.sort, resolve) : null
  const fields = selectedFields(source, query.select)
  return userQuery(asker, async (tx) => {
    const page = { from: from(), where, orderBy, limit: query.limit, skip: query.skip }
    const ids = await selectContactIds(tx, page)
    return readOffers(tx, account, fields, ids)
  })
}

/** One contact with all its fields and events. @throws not_found, also for what cannot be an id */
export async function getOffer(db: Db, account: AccountId, id: string): Promise<Offer> {
  if (!isContactId(id)) throw new AppError('not_found')
  const [offer] = await readOffers(db, account, selectedFields(await openContactSource(db, account)), [id])
  if (!offer) throw new AppError('not_found')
  const events = await selectEvents(db, account, id)
  return { ...offer, events: events.map((event) => ({ ...event, event_date: event.event_date.toISOString() })) }
}

function isContactId(id: string): boolean {
  return /^\d{1,19}$/.test(id) && BigInt(id) < 2n ** 63n
}

function selectedFields(source: ContactSource, select?: string): ContactFilterField[] {
  const everything = [...source.imported, ...source.internal]
  if (select === undefined || select.trim() === '') return everything
  const { resolve } = source.scope()
  return readSelection(select).map((name) => {
    const field = resolve(name)
    if (!field) throw invalidField('select', `There is no field "${name}".`)
    return field
  })
}

/** Contacts in the order of `ids`; one that was deleted meanwhile is left out. */
async function readOffers(
  db: Db | Transaction<object>,
  account: AccountId,
  fields: ContactFilterField[],
  ids: string[],
): Promise<Offer[]> {
  if (ids.length === 0) return []
  const offers = new Map<string, [string, unknown][]>()
  // Table by table: PostgreSQL gives no more than 1,664 columns at once, and an account may have more fields.
  // `contacts` first, since it says who is there.
  const tables = Map.groupBy(fields, ({ table }) => table)
  for (const table of new Set(['contacts', ...tables.keys()])) {
    const its = tables.get(table) ?? []
    for (const [id, values] of await selectContactValues(db, account, table, its, ids)) {
      const entries = its.flatMap((field, at): [string, unknown][] => {
        const value = values[at]
        return value === null ? [] : [[field.name, toWire(field, value)]]
      })
      if (table === 'contacts') offers.set(id, entries)
      else offers.get(id)?.push(...entries)
    }
  }
  return ids.flatMap((id) => {
    const entries = offers.get(id)
    return entries ? [{ _id: id, ...Object.fromEntries(entries) }] : []
  })
}

function toWire(field: ContactFilterField, value: unknown): unknown {
  if (field.type === 'id') return String(value)
  return value instanceof Date ? value.toISOString() : value
}
