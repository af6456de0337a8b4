import type { ListQuery } from '@portico/contract/list-query'
import type { CallInput, Reply, Route } from '@portico/contract/route'
import { call, type RouteLine } from './api.ts'

/** A contract route whose answer is a list, or its count. */
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
  { find = [], sort = null, page = 1, pageSize = 100 }: ListInput,
  signal?: AbortSignal,
): Promise<Item<R>[]> {
  const query = {
    ...(find.length > 0 && { find: JSON.stringify(find) }),
    ...(sort && { sort: JSON.stringify({ [sort.field]: sort.direction === 'asc' ? 1 : -1 }) }),
    limit: pageSize,
    skip: (page - 1) * pageSize,
  }
  // Without `count` the contract's answer is the list.
  return (await callList(route, query, signal)) as Item<R>[]
}

/** How many entries a list has. */
export async function fetchCount<R extends ListRoute>(
  route: R | RouteLine<R>,
  find: ListInput['find'] = [],
  signal?: AbortSignal,
): Promise<number> {
  const query = { count: '', ...(find.length > 0 && { find: JSON.stringify(find) }) }
  // With `count` the contract's answer is the count.
  const reply = (await callList(route, query, signal)) as { count: number }
  return reply.count
}

const callList = <R extends ListRoute>(
  route: R | RouteLine<R>,
  query: CallInput<ListRoute>,
  signal?: AbortSignal,
): Promise<unknown> =>
  // What every list takes, this one does too.
  call(route, query as CallInput<R>, signal ? { signal } : {})
