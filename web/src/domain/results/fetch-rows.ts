import { contactsApi, type Offer } from '@portico/contract/contacts'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import { type Pipeline, unwindEvents } from '@portico/domain/pipeline/pipeline'
import { formatPipeline } from '@portico/domain/pipeline/pipeline-json'
import { call } from '#lib/api/api.ts'
import type { Sort } from '#lib/api/lists.ts'

/** A page of rows; `page` is counted from 1. */
export type RowsWanted = { stages: Pipeline; sort: Sort | null; page: number; pageSize: number }

/** Rows that stages return: contacts, groups or events. */
export function fetchRows({ stages, sort, page, pageSize }: RowsWanted, signal: AbortSignal): Promise<Offer[]> {
  const query = {
    aggregate: formatPipeline(stages),
    ...(sort && { sort: JSON.stringify({ [sort.field]: sort.direction === 'asc' ? 1 : -1 }) }),
    limit: pageSize,
    skip: (page - 1) * pageSize,
  }
  // Without `count` the reply is the list.
  return call(contactsApi.listOffers, query, { signal }) as Promise<Offer[]>
}

/** The stages with one row for each event, as a file with fields of events needs. */
export const withEventRows = (stages: Pipeline): Pipeline =>
  readRowKind(stages) === 'contacts' ? [...stages, unwindEvents] : stages

/** Number of rows that stages return. */
export async function countRows(stages: Pipeline, signal: AbortSignal): Promise<number> {
  // With `count` the reply is the count.
  const query = { aggregate: formatPipeline(stages), count: '' }
  return ((await call(contactsApi.listOffers, query, { signal })) as { count: number }).count
}
