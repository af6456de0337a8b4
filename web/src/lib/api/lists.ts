import type { ListQuery, OffersQuery } from '@portico/contract/list-query'
import type { CallInput, Reply, Route } from '@portico/contract/route'
import { call, type RouteLine } from './api.ts'

/** A contract route that returns a list, or its count. */
export type ListRoute = Route & { query: typeof ListQuery }
export type Item<R extends ListRoute> = Extract<Reply<R>, readonly unknown[]>[number]

export type Sort = { field: string; direction: 'asc' | 'desc' }

export type ListInput = {
  /** Stages of the filter language; none = everything. */
  find?: Record<string, unknown>[]
  sort?: Sort | null
  /** Counted from 1. */
  page?: number
  pageSize?: number
}

/** One page of a list. */
export async function fetchPage<R extends ListRoute>(
  route: R | RouteLine<R>,
  input: ListInput,
  signal?: AbortSignal,
): Promise<Item<R>[]> {
  // Without `count` the contract returns the list.
  return (await callList(route, pageQuery(input), signal)) as Item<R>[]
}

/** One page of a list, with its count; the count is null where counting takes far longer than the page. */
export async function fetchCountedPage<R extends ListRoute & { query: typeof OffersQuery }>(
  route: R | RouteLine<R>,
  input: ListInput,
  signal?: AbortSignal,
): Promise<{ rows: Item<R>[]; count: number | null }> {
  // With `withCount` the contract returns both.
  return (await callList(route, { ...pageQuery(input), withCount: '' }, signal)) as {
    rows: Item<R>[]
    count: number | null
  }
}

const pageQuery = ({ find = [], sort = null, page = 1, pageSize = 100 }: ListInput) => ({
  ...(find.length > 0 && { find: JSON.stringify(find) }),
  ...(sort && { sort: JSON.stringify({ [sort.field]: sort.direction === 'asc' ? 1 : -1 }) }),
  limit: pageSize,
  skip: (page - 1) * pageSize,
})

/** The number of entries in a list. */
export async function fetchCount<R extends ListRoute>(
  route: R | RouteLine<R>,
  find: ListInput['find'] = [],
  signal?: AbortSignal,
): Promise<number> {
  const query = { count: '', ...(find.length > 0 && { find: JSON.stringify(find) }) }
  // With `count` the contract returns the count.
  const reply = (await callList(route, query, signal)) as { count: number }
  return reply.count
}

const callList = <R extends ListRoute>(
  route: R | RouteLine<R>,
  query: CallInput<ListRoute> & { withCount?: string },
  signal?: AbortSignal,
): Promise<unknown> =>
  // Takes the same parameters as every list.
  call(route, query as CallInput<R>, signal ? { signal } : {})
