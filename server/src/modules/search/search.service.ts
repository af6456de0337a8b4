import type { Field, Offer, OfferEvent } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/identity'
import type { OffersQuery } from '@portico/contract/list-query'
import { sql } from 'kysely'
import type { z } from 'zod'
import { listContactFields } from '#contacts'
import {
  type Asker,
  compilePipeline,
  conditionsAfter,
  type ContactScope,
  type ContactSource,
  countRows,
  expandPredefined,
  openContactSource,
  readSort,
  type Sql,
  userQuery,
} from '#filters'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http.ts'
import type { Jobs } from '#platform/jobs.ts'
import { savedFilterStages } from '#saved-filters'
import { aggregateOffers } from './aggregate.service.ts'
import { readOffers, readOffersOf, selectedFields } from './offers.service.ts'
import {
  contactsOf,
  type ContactPage,
  selectContactIds,
  selectEvents,
  selectIndexedColumns,
  selectMissing,
} from './search.queries.ts'
import { useWordIndex } from './word-index.service.ts'

export async function listFields(db: Db, account: AccountId): Promise<Field[]> {
  const indexed = await selectIndexedColumns(db, account)
  const fields = await listContactFields(db, account)
  return fields.map(({ name, type, table, column }) => ({ name, type, isIndexed: indexed.has(`${table}.${column}`) }))
}

/** Who searches; with `jobs`, searches for words may ask for an index. */
type Searcher = Asker & { jobs?: Jobs; facts?: AccountFacts | null }

/**
 * A page of the contacts that match a filter, or of what a pipeline makes of them, or the number of either, or both. Unsorted,
 * contacts come by how well they match a `$text`, then by id, which is the order in which they were imported.
 * @throws invalid_filter, timed_out, invalid_input for an unknown field in `select`, or a query that contradicts itself
 */
export async function listOffers(
  { jobs, facts = null, ...asker }: Searcher,
  account: AccountId,
  query: OffersQuery,
): Promise<Offer[] | { count: number } | CountedOffers> {
  requireConsistent(query)
  const stages = await expandPredefined(query.aggregate ?? query.find ?? [], (id) =>
    savedFilterStages(asker.db, account, id),
  )
  const hasWordIndex = searchesWords(stages) && (await useWordIndex(asker.db, jobs, account))
  const source = await openContactSource(asker.db, account, { hasWordIndex, facts })
  // Rows of a pipeline are the contacts' own, or whatever its stages name; the contract lets both through.
  if (query.aggregate) return (await aggregateOffers(asker, account, source, stages, query)) as Offer[]
  const search = { account, source, stages }
  if (query.count !== undefined) return { count: await countOffers(asker, search) }
  return query.withCount === undefined ? findOffers(asker, search, query) : findAndCount(asker, search, query)
}

function requireConsistent({ aggregate, find, after, skip, count, withCount }: OffersQuery): void {
  if (aggregate && find) throw invalidField('aggregate', 'It stands instead of "find": give one of them.')
  if (withCount !== undefined && (aggregate || count !== undefined || after !== undefined)) {
    throw invalidField('withCount', 'It goes with "find" and "skip" alone.')
  }
  if (after === undefined) return
  if (aggregate) throw invalidField('after', 'Rows of "aggregate" have no place to go on from.')
  if (skip > 0 || count !== undefined) throw invalidField('after', 'It stands instead of "skip", and counts nothing.')
  if (!isContactId(after)) throw invalidField('after', 'It is the id of a contact.')
}

function searchesWords(stages: Stages): boolean {
  return JSON.stringify(stages).includes('"$text"')
}

type Search = { account: AccountId; source: ContactSource; stages: Stages }
type CountedOffers = { rows: Offer[]; count: number | null }

async function countOffers(asker: Asker, search: Search): Promise<number> {
  const compiled = compileSearch(search)
  return userQuery(asker, (reader) => countRows(reader, search.account, compiled.from, compiled.where))
}

async function findOffers(asker: Asker, search: Search, query: OffersQuery): Promise<Offer[]> {
  const compiled = compileSearch(search)
  return userQuery(asker, (reader) => readPage(reader, search, compiled, query))
}

/** `from` is for what matches; a page's order may need further tables of the scope. */
type CompiledSearch = ReturnType<typeof compilePipeline> & { scope: ContactScope; from: Sql }

function compileSearch({ source, stages }: Search): CompiledSearch {
  const scope = source.scope()
  const pipeline = compilePipeline(stages, scope.resolve)
  return { ...pipeline, scope, from: scope.from() }
}

async function readPage(
  reader: Db,
  { account, source }: Search,
  { scope, where, rank }: CompiledSearch,
  { sort, select, limit, skip, after }: OffersQuery,
): Promise<Offer[]> {
  const orders = sort ? readSort(sort, scope.resolve) : rank ? [rank] : []
  const fields = selectedFields(source, select)
  const page = { where, orders, limit, skip }
  if (after === undefined) return readOffersOf(reader, account, fields, contactsOf({ ...page, from: scope.from() }))
  return readOffers(reader, account, fields, await selectIdsAfter(reader, scope, page, after))
}

// Nobody notices such a moment; and after a second, people want to see something.
const leastPatienceMs = 20
const mostPatienceMs = 1000

/** A page and how many there are in all, unless counting takes more than three times as long as the page. */
async function findAndCount(asker: Asker, search: Search, query: OffersQuery): Promise<CountedOffers> {
  const began = performance.now()
  const asked = askBoth(asker, search, query)
  const rows = await asked.page
  const isLastPage = rows.length < query.limit && (rows.length > 0 || query.skip === 0)
  const patience = Math.max(leastPatienceMs, Math.min(mostPatienceMs, 2 * (performance.now() - began)))
  const count = isLastPage ? null : await within(patience, asked.count)
  if (count === null) asked.stopCounting()
  return { rows, count: isLastPage ? query.skip + rows.length : count }
}

/** A page on its way, and how many there are in all, or null where that cannot be told. */
type Asked = { page: Promise<Offer[]>; count: Promise<number | null>; stopCounting: () => void }

/**
 * Asks for both at once, on one connection, where counting begins when the page is done. Where counting fails and the page
 * does not, the count is asked for by itself, and told why.
 */
function askBoth(asker: Asker, search: Search, query: OffersQuery): Asked {
  const compiled = compileSearch(search)
  const page = Promise.withResolvers<Offer[]>()
  const count = Promise.withResolvers<number | null>()
  let stop = (): void => {}
  const ask = async (reader: Db, cancel: () => void): Promise<void> => {
    stop = cancel
    const rows = readPage(reader, search, compiled, query)
    count.resolve(countRows(reader, search.account, compiled.from, compiled.where).catch(() => null))
    try {
      page.resolve(await rows)
    } catch (error) {
      cancel()
      throw error
    } finally {
      await count.promise
    }
  }
  userQuery(asker, ask).catch((error: unknown) => {
    page.reject(error)
    count.resolve(null)
  })
  const stopCounting = (): void => {
    // To cancel what is as good as done costs more than to let it end.
    const timer = setTimeout(() => stop(), leastPatienceMs).unref()
    void count.promise.then(() => clearTimeout(timer))
  }
  return { page: page.promise, count: count.promise, stopCounting }
}

/** What a promise gives, or null when it takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, milliseconds, null)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The page after a contact. @throws invalid_input when that is not there (any more) */
async function selectIdsAfter(
  db: Db,
  scope: ContactScope,
  page: Omit<ContactPage, 'from'>,
  id: string,
): Promise<string[]> {
  const missing = await selectMissing(db, { from: scope.from(), orders: page.orders, id })
  if (!missing) throw invalidField('after', 'There is no such contact any more.')
  const ids: string[] = []
  for (const next of pagesAfter(scope, page, id, missing)) {
    ids.push(...(await selectContactIds(db, { ...next, limit: page.limit - ids.length })))
    if (ids.length === page.limit) break
  }
  return ids
}

/** What comes after a contact in a page's order, in parts that an index finds: one goes on where the one before ends. */
export function pagesAfter(
  scope: ContactScope,
  { orders, where, limit }: Omit<ContactPage, 'from'>,
  id: string,
  missing: boolean[],
): ContactPage[] {
  const from = scope.from()
  const lastId = sql`${id}::bigint`
  // Compared in the database, which knows them to the last digit.
  const values = orders.map((order) => sql`(SELECT ${order.sql} FROM ${from} WHERE contacts.id = ${lastId})`)
  return conditionsAfter(orders, values, missing, sql`contacts.id`, lastId).map((condition) => ({
    from,
    where: where ? sql`${where} AND ${condition}` : condition,
    orders,
    limit,
    skip: 0,
  }))
}

/** One contact with all its fields and events. @throws not_found, also for what cannot be an id */
export async function getOffer(
  db: Db,
  account: AccountId,
  id: string,
  facts: AccountFacts | null = null,
): Promise<Offer> {
  if (!isContactId(id)) throw new AppError('not_found')
  const [offer] = await readOffers(db, account, selectedFields(await openContactSource(db, account, { facts })), [id])
  if (!offer) throw new AppError('not_found')
  return { ...offer, events: await listEvents(db, account, id) }
}

async function listEvents(db: Db, account: AccountId, id: string): Promise<z.output<typeof OfferEvent>[]> {
  const events = await selectEvents(db, account, id)
  return events.map(({ event_date: date, pdid, details, ...event }) => ({
    ...event,
    event_date: date.toISOString(),
    ...(pdid !== null && { pdid }),
    ...(details !== null && { details }),
  }))
}

function isContactId(id: string): boolean {
  return /^\d{1,19}$/.test(id) && BigInt(id) < 2n ** 63n
}
