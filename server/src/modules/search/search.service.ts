import type { Field, Offer, OfferEvent } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/identity'
import type { OffersQuery } from '@portico/contract/list-query'
import { usesFullText } from '@portico/contract/stage-readers'
import type { z } from 'zod'
import { listContactFields } from '#contacts'
import { type Asker, countRows, expandPredefined, openContactSource, userQuery } from '#filters'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http.ts'
import type { Jobs } from '#platform/jobs.ts'
import { savedFilterStages } from '#saved-filters'
import { aggregateOffers } from './aggregate.service.ts'
import { compileSearch, readPage, type Search } from './find.service.ts'
import { readOffers, selectedFields } from './offers.service.ts'
import { type CountedOffers, findAndCount } from './page-and-count.service.ts'
import { selectEvents, selectIndexedColumns } from './search.queries.ts'
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
  const hasWordIndex = usesFullText(stages) && (await useWordIndex(asker.db, jobs, account))
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

async function countOffers(asker: Asker, search: Search): Promise<number> {
  const compiled = compileSearch(search)
  return userQuery(asker, (reader) => countRows(reader, search.account, compiled.from, compiled.where))
}

async function findOffers(asker: Asker, search: Search, query: OffersQuery): Promise<Offer[]> {
  const compiled = compileSearch(search)
  return userQuery(asker, (reader) => readPage(reader, search, compiled, query))
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
