import { z } from 'zod'
import { Instant, JobName, JobStatus } from './jobs.ts'
import { ListQuery, listReply } from './list-query.ts'
import type { Route } from './route.ts'

export const ImportDelimiter = z.enum(['comma', 'tab', 'pipe'])
export type ImportDelimiter = z.output<typeof ImportDelimiter>

/** Where a dedup key or a PURL is unique: in the whole account, or within its import. */
export const PurlScope = z.enum(['account', 'import'])
export type PurlScope = z.output<typeof PurlScope>

/** Thousands of rows that are committed together. */
export const BatchSize = z.union([z.literal(25), z.literal(50), z.literal(75), z.literal(100)])

export const maxPurlColumns = 3
export const maxDedupColumns = 5

const ColumnName = z.string().min(1)
const columnList = (max: number) => z.array(ColumnName).max(max, `At most ${max} columns can be chosen.`)

export const NewImport = z.strictObject({
  name: JobName,
  /** Name under which the file was uploaded. */
  filePath: z.string().min(1, 'Value is required!'),
  fileDelimiter: ImportDelimiter,
  processBatchSize: BatchSize,
  generatePURL: z.boolean(),
  purlGenerationScope: PurlScope,
  /** A known contact keeps its PURL ("Same PURL for the same contact"). */
  dedupHashMatching: z.boolean(),
  /** Infer number, boolean and date columns; otherwise every new column is text. */
  typeCasting: z.boolean(),
  exportOnImportCompletion: z.boolean(),
  purlColumns: columnList(maxPurlColumns).optional(),
  dedupColumns: columnList(maxDedupColumns).optional(),
  latitudeColumn: z.string().trim().min(1).optional(),
  longitudeColumn: z.string().trim().min(1).optional(),
  notificationEmails: z.array(z.email('Invalid email address!')).max(20).optional(),
  /** Header name → field name, or null to leave the column out. Columns not named keep their name. */
  columnMapping: z.record(z.string(), z.string().nullable()).optional(),
})
export type NewImport = z.input<typeof NewImport>

/** What the worker is doing with the file at the moment. */
export const ImportPhase = z.enum(['examining', 'staging', 'matching', 'loading', 'indexing'])
export type ImportPhase = z.output<typeof ImportPhase>

export const Import = z.object({
  _id: z.string(),
  accountId: z.number(),
  name: z.string(),
  creationDate: Instant,
  creator: z.string(),
  status: JobStatus,
  phase: ImportPhase.nullable(),
  /** Rows that are committed, out of `totalRecords` (null until the file was read once). */
  processedRecords: z.number(),
  totalRecords: z.number().nullable(),
  /** Rows that became a new contact, changed a known one, or left a known one as it was. */
  createdRecords: z.number(),
  updatedRecords: z.number(),
  unchangedRecords: z.number(),
  /** Rows that could not be loaded; the report lists each with line and reason. */
  setAsideRecords: z.number(),
  /** 0 to 1 within the current phase. */
  phaseProgress: z.number(),
  startDate: Instant.nullable(),
  lastActivityDate: Instant.nullable(),
  purlStatus: JobStatus.nullable(),
  purlProcessedRecords: z.number(),
  purlStartDate: Instant.nullable(),
  purlLastActivityDate: Instant.nullable(),
  purlColumns: z.array(z.string()),
  dedupColumns: z.array(z.string()),
  notificationEmails: z.array(z.string()),
  latitudeColumn: z.string().nullable(),
  longitudeColumn: z.string().nullable(),
  generatePURL: z.boolean(),
  purlGenerationScope: PurlScope,
  dedupHashMatching: z.boolean(),
  exportOnImportCompletion: z.boolean(),
  typeCasting: z.boolean(),
  processBatchSize: z.number(),
  fileDelimiter: ImportDelimiter,
  filePath: z.string(),
  /** Size of the uploaded file in bytes. */
  fileSize: z.number(),
  databaseName: z.string(),
  recoveryCount: z.number(),
  recoveryError: z.string().nullable(),
  /** Column names of the file, in order; empty until the file was read. */
  header: z.array(z.string()),
  columnMapping: z.record(z.string(), z.string().nullable()).nullable(),
})
export type Import = z.output<typeof Import>

const path = '/contact-service/v1/imports'
const params = z.object({ id: z.string() })

export const importsApi = {
  listImports: {
    method: 'GET',
    path,
    summary: 'Imports, newest first unless sorted, or their count',
    access: 'contact-service::imports::get',
    query: ListQuery,
    reply: listReply(Import),
    errors: ['invalid_filter'],
  },
  getImport: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'One import',
    access: 'contact-service::imports::get',
    params,
    reply: Import,
    errors: ['not_found'],
  },
  createImport: {
    method: 'POST',
    path,
    summary: 'Import an uploaded file',
    access: 'contact-service::imports::post',
    body: NewImport,
    reply: Import,
    status: 201,
    errors: ['name_taken'],
  },
  cancelImport: {
    method: 'PUT',
    path: `${path}/:id`,
    summary: 'Cancel an import; what is committed stays',
    access: 'contact-service::imports::put',
    params,
    body: z.strictObject({ cancel: z.literal(true) }),
    reply: Import,
    errors: ['not_found', 'not_cancellable'],
  },
  getSetAsideReport: {
    method: 'GET',
    path: `${path}/:id/set-aside`,
    summary: 'A link to the rows that were set aside, each with line and reason, as CSV',
    access: 'contact-service::imports::get',
    params,
    reply: z.object({ url: z.string() }),
    errors: ['not_found', 'not_ready'],
  },
} as const satisfies Record<string, Route>
