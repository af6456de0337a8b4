import { z } from 'zod'
import { FieldType } from './contacts.ts'
import { ImportPhase, NewImport } from './imports.ts'
import { JobStatus } from './jobs.ts'
import type { Route } from './route.ts'

/** Maximum contacts of each kind, and rows set aside, shown by a review. */
export const reviewExamples = 10

/** The effect of a file on one field. */
export const ReviewedField = z.object({
  name: z.string(),
  type: FieldType,
  /** The import would add it. */
  isNew: z.boolean(),
  /** Rows with a value for it. */
  filled: z.number(),
  /**
   * Rows whose value differs from the one that their contact had before the import. Null for callers who may not read
   * the dedup columns of all contacts: it would confirm guesses of these.
   */
  changed: z.number().nullable(),
  /** Cells that do not fit it and would be left out. */
  misfits: z.number(),
})
export type ReviewedField = z.output<typeof ReviewedField>

/** A value of a field as text, shortened with '…' if long; null for none. Both may begin alike. */
const ValueChange = z.object({ field: z.string(), before: z.string().nullable(), after: z.string() })

/** The keys of a file: the values of its dedup columns. */
export const ReviewedKeys = z.object({
  /** The fields of the dedup columns. */
  fields: z.array(z.string()),
  /** Rows without a value in any of them: each creates a contact. */
  blank: z.number(),
  /** Rows with the key of an earlier row, which change its contact. */
  repeated: z.number(),
  /** The keys of the most rows, at least two each, with the values of their first row as in `created`. */
  frequent: z.array(z.object({ values: z.array(z.string().nullable()), rows: z.number() })),
})
export type ReviewedKeys = z.output<typeof ReviewedKeys>

/** Maximum frequent keys shown by a review. */
export const reviewedKeysShown = 5

/**
 * The effect that an import would have, in the same counts as a completed import. Null counts, and empty lists of
 * contacts, are for callers who may not read all fields of the file, or see only some contacts: a file with guessed
 * values would tell them which contacts have these.
 */
export const ReviewOutcome = z.object({
  totalRecords: z.number(),
  createdRecords: z.number().nullable(),
  updatedRecords: z.number().nullable(),
  unchangedRecords: z.number().nullable(),
  setAsideRecords: z.number(),
  setAsideCells: z.number(),
  emptyRecords: z.number(),
  /** Those that the caller may read, in the order of the file's columns. */
  fields: z.array(ReviewedField),
  /** From the file alone. Null without dedup columns; absent from reviews of earlier releases. */
  keys: ReviewedKeys.nullable().optional(),
  /**
   * The first contacts that would be created: values by field, as texts. A long value is cut to 200 characters and '…',
   * or fewer if the file has more than 250 columns.
   */
  created: z.array(z.record(z.string(), z.string())),
  /**
   * The first contacts that would be changed, with the first row that does so. `named`: the present values of
   * `namingFields`, as texts.
   */
  updated: z.array(
    z.object({
      contact: z.string(),
      named: z.record(z.string(), z.string()).optional(),
      changes: z.array(ValueChange),
    }),
  ),
  /**
   * Fields that tell people which contact is meant: the first two of the account, as everywhere, and those of the dedup
   * columns. Only fields that the caller may read.
   */
  namingFields: z.array(z.string()).optional(),
  /** True if there are no examples because those of a review from an earlier release were too long to be read. */
  examplesLeftOut: z.boolean().optional(),
  /** The first rows with cells left out, or that are set aside completely. */
  setAside: z.array(z.object({ line: z.number(), reason: z.string() })),
})
export type ReviewOutcome = z.output<typeof ReviewOutcome>

/** Reads a whole file before its import, and changes nothing. */
export const ImportReview = z.object({
  _id: z.string(),
  status: JobStatus,
  phase: ImportPhase.nullable(),
  /** 0 to 1 within the phase. */
  phaseProgress: z.number(),
  /**
   * Why the import would be rejected, or why the last attempt failed; without values of contacts by which the caller may
   * not search.
   */
  recoveryError: z.string().nullable(),
  /** Null until the review is completed. */
  outcome: ReviewOutcome.nullable(),
})
export type ImportReview = z.output<typeof ImportReview>

const path = '/contact-service/v1/import-reviews'
const params = z.object({ id: z.string() })

export const importReviewApi = {
  createImportReview: {
    method: 'POST',
    path,
    summary: 'Read a whole uploaded file as its import would, without changing anything; ends your earlier review',
    access: 'contact-service::imports::post',
    stores: false,
    body: NewImport,
    reply: ImportReview,
    status: 201,
    errors: ['name_taken'],
  },
  getImportReview: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a review of your own; it is kept for an hour',
    access: 'contact-service::imports::get',
    params,
    reply: ImportReview,
    errors: ['not_found'],
  },
  endImportReview: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'End a review of your own',
    access: 'contact-service::imports::post',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>
