import { z } from 'zod'
import { DedupColumns } from './imports.ts'
import { Instant, JobStatus } from './jobs.ts'
import type { Route } from './route.ts'

/** The work of giving dedup keys to contacts of before, by the values that they have in some fields. */
export const KeyComputation = z.object({
  _id: z.string(),
  /** The present names of the fields. */
  dedupColumns: z.array(z.string()),
  status: JobStatus,
  creator: z.string(),
  creationDate: Instant,
  /** Contacts when it was requested. */
  totalRecords: z.number(),
  processedRecords: z.number(),
  /** Contacts that have a key by now. */
  keyedRecords: z.number(),
  /** Contacts without a value in any of the fields: no row of a file is one of them. */
  blankRecords: z.number(),
  /** Contacts whose key another one has, with which rows of files are matched; they stay, without a key. */
  duplicateRecords: z.number(),
  /**
   * The first 100 of them, each with the contact that has the key. Empty for callers who may not read the fields of all
   * contacts, since they would learn which contacts have the same values.
   */
  duplicates: z.array(z.object({ contact: z.string(), other: z.string() })),
  /** Why it was rejected, for users. */
  reason: z.string().nullable(),
})
export type KeyComputation = z.output<typeof KeyComputation>

export const DedupKeys = z.object({
  /**
   * Contacts that files would add a second time until keys are computed: all of them while none has a key; later those
   * with values in the dedup columns whose key no contact has, since the one that had it is gone. 0 during a computation.
   */
  contactsWithoutKey: z.number(),
  /** The latest one; null if there was none. */
  computation: KeyComputation.nullable(),
})
export type DedupKeys = z.output<typeof DedupKeys>

const path = '/contact-service/v1/dedup-keys'

export const dedupKeysApi = {
  getDedupKeys: {
    method: 'GET',
    path,
    summary: 'Tell how many contacts have no dedup key, and how far the computation of keys is',
    access: 'contact-service::imports::get',
    reply: DedupKeys,
    errors: ['timed_out'],
  },
  computeDedupKeys: {
    method: 'POST',
    path,
    summary: 'Compute dedup keys for the existing contacts, so that imports with these dedup columns recognize them',
    access: 'contact-service::imports::post',
    stores: false,
    body: z.strictObject({
      /** Names of fields. All imports of the account have these dedup columns from now on. */
      dedupColumns: DedupColumns,
    }),
    reply: KeyComputation,
    status: 202,
    errors: ['import_running', 'field_busy'],
  },
} as const satisfies Record<string, Route>
