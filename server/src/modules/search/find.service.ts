import type { Offer } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/identity'
import type { OffersQuery } from '@portico/contract/list-query'
import { sql } from 'kysely'
import { compilePipeline, conditionsAfter, type ContactScope, type ContactSource, readSort, type Sql } from '#filters'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { readOffers, readOffersOf, selectedFields } from './offers.service.ts'
import { contactsOf, type ContactPage, selectContactIds, selectMissing } from './search.queries.ts'

/** What is looked for, in the contacts of an account. */
export type Search = { account: AccountId; source: ContactSource; stages: Stages }

/** `from` is for what matches; a page's order may need further tables of the scope. */
export type CompiledSearch = ReturnType<typeof compilePipeline> & { scope: ContactScope; from: Sql }

/** @throws invalid_filter */
export function compileSearch({ source, stages }: Search): CompiledSearch {
  const scope = source.scope()
  const pipeline = compilePipeline(stages, scope.resolve)
  return { ...pipeline, scope, from: scope.from() }
}

/** @throws invalid_input for an unknown field in `select` or `sort`, or an `after` that is not there */
export async function readPage(
  reader: Db,
  { account, source }: Search,
  { scope, where, rank }: CompiledSearch,
  { sort, select, limit, skip, after }: OffersQuery,
): Promise<Offer[]> {
  const orders = sort ? readSort(sort, scope.resolve) : rank ? [rank] : []
  const fields = selectedFields(source, select)
  const page = { where, orders, limit, skip }
  if (after === undefined) return readOffersOf(reader, account, fields, contactsOf({ ...page, from: scope.from() }))
  const missing = await selectMissing(reader, { from: scope.from(), orders, id: after })
  if (!missing) throw invalidField('after', 'There is no such contact any more.')
  const [first, ...rest] = pagesAfter(scope, page, after, missing)
  if (!first) return []
  if (rest.length === 0) return readOffersOf(reader, account, fields, contactsOf(first))
  return readOffers(reader, account, fields, await selectIds(reader, [first, ...rest], limit))
}

/** So many ids of pages that follow each other. */
async function selectIds(db: Db, pages: ContactPage[], limit: number): Promise<string[]> {
  const ids: string[] = []
  for (const page of pages) {
    ids.push(...(await selectContactIds(db, { ...page, limit: limit - ids.length })))
    if (ids.length === limit) break
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
