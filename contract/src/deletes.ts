import { z } from 'zod'
import { Stages } from './filter.ts'
import { Instant, JobStatus } from './jobs.ts'
import { ListQuery, listReply } from './list-query.ts'
import type { Route } from './route.ts'
import { mostKeptListed, undoDays } from './undo-limits.ts'

export const DeleteStatus = z.enum(['processing', 'completed', 'rejected'])
export type DeleteStatus = z.output<typeof DeleteStatus>

/** The progress of undoing a bulk delete. */
export const RestoreState = z.object({
  status: JobStatus.exclude(['recovery']),
  by: z.string(),
  requestDate: Instant,
  lastActivityDate: Instant.nullable(),
  /** Contacts that were restored. */
  restoredRecords: z.number(),
  /** Contacts that could not be restored, and are still kept. */
  missingRecords: z.number(),
  /** Values that were not restored with their contacts, as they no longer fit their fields. */
  missingValues: z.number(),
  /** Why it was rejected. */
  reason: z.string().nullable(),
})
export type RestoreState = z.output<typeof RestoreState>

/**
 * Why a contact was not restored: another one now has its values in the dedup columns (`key_taken`), or the value of a
 * unique index (`value_taken`), or an index cannot hold its text (`too_large`). For a value: the field has changed its
 * type since (`retyped`), or it was changed since the merge that is undone (`changed`).
 */
export const MissingReason = z.enum(['key_taken', 'value_taken', 'too_large', 'retyped', 'changed'])
export type MissingReason = z.output<typeof MissingReason>

/** The first contacts and values that were not restored, with the fields that prevented it. */
export const MissingRecords = z.object({
  missing: z.array(z.object({ contact: z.string(), fields: z.array(z.string()), reason: MissingReason })),
})
export type MissingRecords = z.output<typeof MissingRecords>

/** A bulk delete of contacts, or the merge of one into another, as listed in the history. */
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
  /**
   * Why it was rejected before all were deleted: the person who requested it lost the right to it, or it failed several times.
   */
  reason: z.string().nullable(),
  /** Number of contacts that are kept for restoring. */
  restorableRecords: z.number(),
  /** Until when it can be undone, or its deleted contacts erased for good; null if neither is possible. */
  restorableUntil: Instant.nullable(),
  /** Null if no one has requested it. */
  restore: RestoreState.nullable(),
  /** Of a merge: the contact into which the deleted one was merged. */
  mergedInto: z.string().nullable(),
})
export type DeleteRecord = z.output<typeof DeleteRecord>

export const NewDelete = z.strictObject({
  filter: Stages.describe('`$match` stages: which contacts. An empty list means all of them.'),
  deletedRecords: z.number().int().min(1, 'Value is invalid!').describe('How many contacts match, as confirmed.'),
})
export type NewDelete = z.input<typeof NewDelete>

export const Erasure = z.strictObject({
  deletedRecords: z.number().int().min(1, 'Value is invalid!').describe('How many contacts are kept, as confirmed.'),
})
export type Erasure = z.input<typeof Erasure>

/** Calls about a delete as a whole, by any person: its contacts are not in their requests. */
const ofOne = {
  params: z.object({ id: z.string() }),
  access: 'contact-service::offers::delete',
  isUnconditional: true,
} as const
const restore = '/contact-service/v1/deletes/:id/restore'

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
  getMissingRecords: {
    ...ofOne,
    method: 'GET',
    path: restore,
    summary: `Tell which contacts and values did not return when a delete was undone: the first ${mostKeptListed}`,
    reply: MissingRecords,
    errors: ['not_found'],
  },
  restoreDelete: {
    ...ofOne,
    method: 'POST',
    path: restore,
    summary: `Undo a bulk delete within ${undoDays} days: its contacts return with all that was theirs`,
    stores: false,
    reply: DeleteRecord,
    status: 202,
    errors: ['not_found', 'not_restorable', 'import_running', 'field_busy'],
  },
  eraseDelete: {
    ...ofOne,
    method: 'DELETE',
    path: '/contact-service/v1/deletes/:id/contents',
    summary: 'Erase for good what a bulk delete has deleted, if the count is as confirmed',
    stores: false,
    body: Erasure,
    reply: z.object({ erasedRecords: z.number().int() }),
    errors: ['not_found', 'not_restorable', 'count_changed'],
  },
} as const satisfies Record<string, Route>
