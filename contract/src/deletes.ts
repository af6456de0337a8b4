import { z } from 'zod'
import { Stages } from './filter.ts'
import { Instant } from './jobs.ts'
import { ListQuery, listReply } from './list-query.ts'
import type { Route } from './route.ts'

export const DeleteStatus = z.enum(['processing', 'completed', 'rejected'])
export type DeleteStatus = z.output<typeof DeleteStatus>

/** A bulk delete of contacts, as listed in the history. */
export const DeleteRecord = z.object({
  _id: z.string(),
  /** A saved filter is stored as its stages at the time of the request. */
  filter: Stages,
  /** Number of contacts counted and confirmed; all are deleted once it is completed. */
  deletedRecords: z.number(),
  /** Number of contacts already deleted. */
  processedRecords: z.number(),
  creator: z.string(),
  creationDate: Instant,
  status: DeleteStatus,
  /** Why it was rejected: who asked for it lost the right to it before all were deleted. */
  reason: z.string().nullable(),
})
export type DeleteRecord = z.output<typeof DeleteRecord>

export const NewDelete = z.strictObject({
  filter: Stages.describe('`$match` stages: which contacts. An empty list means all of them.'),
  deletedRecords: z.number().int().min(1, 'Value is invalid!').describe('How many contacts match, as confirmed.'),
})
export type NewDelete = z.input<typeof NewDelete>

export const deletesApi = {
  deleteOffers: {
    method: 'DELETE',
    path: '/contact-service/v1/offers',
    summary: 'Delete all contacts that match a filter, if the count is as confirmed',
    access: 'contact-service::offers::delete',
    stores: false,
    body: NewDelete,
    reply: z.object({ deletedCount: z.number().int() }),
    errors: ['invalid_filter', 'timed_out', 'count_changed', 'delete_in_progress'],
  },
  listDeletes: {
    method: 'GET',
    path: '/contact-service/v1/deletes',
    summary: 'List or count bulk deletes, newest first unless sorted',
    // Policies cannot name deletes (specification 2 §9): users who may read contacts may see their history.
    access: 'contact-service::offers::get',
    query: ListQuery,
    reply: listReply(DeleteRecord),
    errors: ['invalid_filter', 'timed_out'],
  },
} as const satisfies Record<string, Route>
