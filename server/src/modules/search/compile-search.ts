import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import type { OffersQuery } from '@portico/contract/list-query'
import { compilePipeline, type ContactFilterField, type ContactSource, readSort, type Sql } from '#filters'
import { invalidField } from '#platform/app-error.ts'
import type { ContactPage } from './contact-rows.queries.ts'
import { readSelection } from './selection.ts'

/** The contacts that match a filter. */
export type Matching = { account: AccountId; from: Sql; where: Sql | null }

/** A page of the contacts that match a filter, with the fields to return. */
export type ContactSearch = {
  matching: Matching
  page: ContactPage
  fields: ContactFilterField[]
  /** Id of the contact that the page follows. */
  after?: string
}

/** @throws invalid_filter */
export function compileMatching(source: ContactSource, stages: Stages): Matching {
  const { resolve, from } = source.scope()
  const { where } = compilePipeline(stages, resolve)
  return { account: source.account, from: from(), where }
}

/** @throws invalid_filter; invalid_input for an unknown field in `select` */
export function compileSearch(
  source: ContactSource,
  stages: Stages,
  { sort, select, limit, skip, after }: OffersQuery,
): ContactSearch {
  const { resolve, from } = source.scope()
  const { where, rank } = compilePipeline(stages, resolve)
  // Taken before the order is read: counting needs no table that only sorting needs.
  const matching = { account: source.account, from: from(), where }
  const orders = sort ? readSort(sort, resolve) : rank ? [rank] : []
  const page = { from: from(), where, orders, limit, skip }
  return { matching, page, fields: selectedFields(source, select), ...(after !== undefined && { after }) }
}

/** The fields that a `select` names, or all of them. @throws invalid_input naming a field that does not exist */
function selectedFields(source: ContactSource, select?: string): ContactFilterField[] {
  if (select === undefined || select.trim() === '') return source.fields
  const { resolve } = source.scope()
  return readSelection(select).map((name) => {
    const field = resolve(name)
    if (!field) throw invalidField('select', `There is no field "${name}".`)
    return field
  })
}
