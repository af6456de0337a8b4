import { z } from 'zod'
import { Stages } from './filter.ts'
import { Instant } from './jobs.ts'
import { ListQuery, listReply } from './list-query.ts'
import type { Route } from './route.ts'

export const DeleteStatus = z.enum(['processing', 'completed'])
export type DeleteStatus = z.output<typeof DeleteStatus>

/** A bulk delete of contacts, as the history has it. */
export const DeleteRecord = z.object({
  _id: z.string(),
  /** A saved filter stands in it as what it was when the delete was asked for. */
  filter: Stages,
  /** How many contacts were counted, confirmed and so deleted. */
  deletedRecords: z.number(),
  /** How many of them are gone already. */
  processedRecords: z.number(),
  creator: z.string(),
  creationDate: Instant,
  status: DeleteStatus,
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
    body: NewDelete,
    reply: z.object({ deletedCount: z.number().int() }),
    errors: ['invalid_filter', 'timed_out', 'count_changed', 'delete_in_progress'],
  },
  listDeletes: {
    method: 'GET',
    path: '/contact-service/v1/deletes',
    summary: 'List or count bulk deletes, newest first unless sorted',
    // Policies can name no resource of deletes (specification 2 §9): anyone who may read contacts may know what became of them.
    access: 'contact-service::offers::get',
    query: ListQuery,
    reply: listReply(DeleteRecord),
    errors: ['invalid_filter', 'timed_out'],
  },
} as const satisfies Record<string, Route>
