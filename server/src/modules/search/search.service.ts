import { contactsApi, type Field, type Offer, type OfferEvent } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import type { OffersQuery } from '@portico/contract/list-query'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import { usesFullText } from '@portico/domain/pipeline/full-text'
import { listContactFields, listEvents, mostEvents } from '#contacts'
import { type ContactSource, type QueryContext, openContactSource, requireVisible, userQuery } from '#filters'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { expandSaved, type FilterUse } from '#saved-filters'
import { countPipelineRows, readPipelineRows } from './aggregate.service.ts'
import { compileMatching, compileSearch, fieldsByName, type Matching } from './compile-search.ts'
import { readPage } from './contact-page.service.ts'
import { selectContactsById } from './contact-rows.queries.ts'
import { selectIndexedColumns } from './fields.queries.ts'
import { toOffers } from './offers.ts'
import { type CountedOffers, countMatching, readPageAndCount } from './page-and-count.service.ts'
import { useFullTextIndex } from './full-text-index.service.ts'
import { readSelection } from './selection.ts'
import { isRowNumber } from '#platform/ids.ts'

export async function listFields(db: Db, account: AccountId): Promise<Field[]> {
  const fields = await listContactFields(db, account)
  const indexed = await selectIndexedColumns(db, account, fields)
  return fields.map(({ name, type, table, column, format }) => ({
    name,
    type,
    isIndexed: indexed.has(`${table}.${column}`),
    ...(format && { format }),
  }))
}

/**
 * The caller of a search. With `jobs`, a full-text search may request its index. Without a `user`, its stages name no saved
 * filter.
 */
type SearchContext = QueryContext & {
  jobs?: Jobs
  noteSearches?: NoteSearches
  facts?: AccountFacts | null
  user?: SearchUser
  /** The contacts that the caller may see; null for all. */
  rows: Stages | null
}
/** Notes which fields a search looked for patterns in. Never fails. */
export type NoteSearches = (db: Db, account: AccountId, searched: readonly SearchedField[]) => Promise<void>
type SearchedField = { name: string; pattern: string }
type SearchUser = Pick<FilterUse, 'pool' | 'caller'>

/**
 * A page of the contacts that match a filter, or of the rows of a pipeline, or the number of either, or both. Unsorted
 * contacts come by relevance to a `$text`, then by id, the order of import.
 * @throws invalid_filter, timed_out, invalid_input for an unknown field in `select`, or a query that contradicts itself
 */
export async function listOffers(
  { jobs, noteSearches, facts = null, user, rows, ...context }: SearchContext,
  account: AccountId,
  query: OffersQuery,
): Promise<Offer[] | { count: number } | CountedOffers> {
  requireConsistent(query)
  const { db } = context
  const requested = query.aggregate ?? query.find ?? []
  const asSent = { stages: requested, rows }
  const expanded = user ? await expandSaved(db, useIn(user, account, query), requested) : asSent
  const { stages } = expanded
  const hasFullTextIndex = usesFullText(parsePipeline(stages)) && (await useFullTextIndex(db, jobs, account))
  const isOwnQuery = stages.length === 0 && query.aggregate === undefined && query.after === undefined
  const source = await openContactSource(db, account, {
    rows: everyRule(rows, expanded.rows),
    hasFullTextIndex,
    isOwnQuery,
    facts,
  })
  const { select, sort, limit, skip, after } = query
  const columns = readSelection(select)
  if (query.aggregate) {
    if (query.count !== undefined) return { count: await countPipelineRows(context, source, stages) }
    // Rows of a pipeline are contacts, or have the columns that its stages name; the contract allows both.
    return (await readPipelineRows(context, source, stages, { columns, sort, limit, skip })) as Offer[]
  }
  if (query.count !== undefined) {
    const matching = compileMatching(source, stages)
    await noteSearches?.(db, account, searchedFields(source, matching))
    return { count: await userQuery(context, (reader) => countMatching(reader, matching)) }
  }
  const fields = fieldsByName(source, columns, (message) => invalidField('select', message))
  const search = compileSearch(source, stages, { fields, sort, limit, skip, after })
  await noteSearches?.(db, account, searchedFields(source, search.matching))
  if (query.withCount !== undefined) return readPageAndCount(context, search)
  return toOffers(search.fields, await userQuery(context, (reader) => readPage(reader, search)))
}

/** The fields whose index could find contacts. The conditions of a restricted search are tested behind its rule, by no index. */
function searchedFields({ imported, isRestricted }: ContactSource, { patterns }: Matching): SearchedField[] {
  if (isRestricted) return []
  return patterns.flatMap(({ field, pattern }) =>
    imported.some((each) => each === field) ? [{ name: field.name, pattern }] : [],
  )
}

/** Whether a query names a saved filter, which may be used by those only who may ask for its stages, or by its saver's right. */
export const usesSaved = ({ find, aggregate }: OffersQuery): boolean =>
  [...(find ?? []), ...(aggregate ?? [])].some((stage) => Object.hasOwn(stage, '$predefined'))

function useIn({ pool, caller }: SearchUser, account: AccountId, query: OffersQuery): FilterUse {
  const name = query.aggregate ? 'aggregate' : 'find'
  const { access } = contactsApi.listOffers
  const requestWith = (stages: Stages) =>
    judgedParts(contactsApi.listOffers, { params: {}, query: { ...query, [name]: stages }, body: undefined })
  return { pool, account, caller, access, requestWith }
}

function requireConsistent({ aggregate, find, after, skip, count, withCount }: OffersQuery): void {
  if (aggregate && find) throw invalidField('aggregate', 'Give either "find" or "aggregate".')
  if (withCount !== undefined && (aggregate || count !== undefined || after !== undefined)) {
    throw invalidField('withCount', 'It can be combined with "find" and "skip" only.')
  }
  if (after === undefined) return
  if (aggregate) throw invalidField('after', 'It cannot be combined with "aggregate".')
  if (skip > 0 || count !== undefined)
    throw invalidField('after', 'It replaces "skip", and cannot be combined with "count".')
  if (!isRowNumber(after)) throw invalidField('after', 'It must be the id of a contact.')
}

/** One contact with all its fields and its newest events. @throws not_found, also for an invalid id; timed_out */
export async function getOffer(
  context: QueryContext,
  account: AccountId,
  id: string,
  { rows, facts = null }: { rows: Stages | null; facts?: AccountFacts | null },
): Promise<Offer> {
  const { db } = context
  if (!isRowNumber(id)) throw new AppError('not_found')
  await requireVisible(db, account, id, rows)
  const { fields } = await openContactSource(db, account, { rows: null, facts })
  const [contacts, events] = await userQuery(context, (reader) =>
    Promise.all([
      selectContactsById(reader, account, [id], fields),
      listEvents(reader, account, id, { skip: 0, limit: mostEvents }),
    ]),
  )
  const [offer] = toOffers(fields, contacts)
  if (!offer) throw new AppError('not_found')
  return { ...offer, events }
}

/** A page of the events of a contact, newest first. @throws not_found, also for an invalid id; timed_out */
export async function listContactEvents(
  context: QueryContext,
  account: AccountId,
  id: string,
  { rows, ...page }: { rows: Stages | null; skip: number; limit: number },
): Promise<OfferEvent[]> {
  const { db } = context
  if (!isRowNumber(id)) throw new AppError('not_found')
  await requireVisible(db, account, id, rows)
  return userQuery(context, async (reader) => {
    if ((await selectContactsById(reader, account, [id], [])).length === 0) throw new AppError('not_found')
    return listEvents(reader, account, id, page)
  })
}
