import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import {
  compilePipeline,
  type ContactFilterField,
  type ContactSource,
  type FieldPattern,
  readSort,
  type Sql,
} from '#filters'
import type { AppError } from '#platform/app-error.ts'
import type { ContactPage } from './contact-rows.queries.ts'

/** The contacts that match a filter. */
export type Matching = {
  account: AccountId
  from: Sql
  where: Sql | null
  /** The patterns that texts of the contacts have to match. */
  patterns: FieldPattern[]
}

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
  const { where, patterns } = compilePipeline(stages, resolve)
  return { account: source.account, from: from(), where, patterns }
}

/** Which of the contacts that match, in what order, with which fields. `after` is an id. */
export type WantedPage = {
  fields: ContactFilterField[]
  sort?: Record<string, 1 | -1> | undefined
  limit: number
  skip: number
  after?: string | undefined
}

/** @throws invalid_filter */
export function compileSearch(
  source: ContactSource,
  stages: Stages,
  { fields, sort, limit, skip, after }: WantedPage,
): ContactSearch {
  const { resolve, from } = source.scope()
  const { where, rank, patterns } = compilePipeline(stages, resolve)
  // Taken before the order is read: counting needs no table that only sorting needs.
  const matching = { account: source.account, from: from(), where, patterns }
  const orders = sort ? readSort(sort, resolve) : rank ? [rank] : []
  const page = { from: from(), where, orders, limit, skip }
  return { matching, page, fields, ...(after !== undefined && { after }) }
}

/** Fields by their names; all of them unless there are names. `refuse` makes the error for a name that no field has. */
export function fieldsByName(
  source: ContactSource,
  names: readonly string[],
  refuse: (message: string) => AppError,
): ContactFilterField[] {
  if (names.length === 0) return source.fields
  const { resolve } = source.scope()
  return names.map((name) => {
    const field = resolve(name)
    if (!field) throw refuse(`There is no field "${name}".`)
    return field
  })
}
