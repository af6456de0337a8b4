import { z } from 'zod'
import { fieldNameMaxLength, internalFieldNames } from './contacts.ts'
import { repeatedAddresses, withoutRepeated } from './email-address.ts'
import { Email, personalAddress } from './email-schemas.ts'
import { fileNameMaxLength } from './files.ts'
import { headerOptions } from './import-header.ts'
import { Instant, JobName, JobStatus } from './jobs.ts'
import { ListQuery, listReply } from './list-query.ts'
import { messages } from './messages.ts'
import { repeatedPositions } from '@portico/domain/repeated'
import type { Route } from './route.ts'
import { foldName, isSameName, tidyName } from '@portico/domain/names'
import { Version, versionOfChange } from './versions.ts'
import { normalizeText } from '@portico/domain/unicode'

export const ImportDelimiter = z.enum(['comma', 'tab', 'pipe', 'semicolon'])
export type ImportDelimiter = z.output<typeof ImportDelimiter>

/** Content of a file's rows: contacts, or events of existing contacts. */
export const ImportKind = z.enum(['contacts', 'events'])
export type ImportKind = z.output<typeof ImportKind>

/**
 * The choice for a cell that does not fit the type of an existing field: the contact is loaded without this cell, its
 * row is set aside, or the field becomes text (or, for a date with a time, a field of moments).
 */
export const MismatchChoice = z.enum(['cell', 'row', 'text'])
export type MismatchChoice = z.output<typeof MismatchChoice>

const order = z.enum(['month-first', 'day-first']).optional()
/**
 * How the cells of a column are read: their type and notation. Numbers may have a currency, a percent sign (12 % is
 * 0.12) and groups of three digits; with a decimal comma, points separate the groups. Booleans are true, yes, y and 1,
 * or false, no, n and 0. In days and moments, the month comes first unless the order says otherwise.
 */
export const ColumnReading = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('string') }),
  z.strictObject({ type: z.literal('number'), decimal: z.enum(['point', 'comma']).optional() }),
  z.strictObject({ type: z.literal('boolean') }),
  z.strictObject({ type: z.literal('day'), order }),
  z.strictObject({ type: z.literal('date'), order }),
])
export type ColumnReading = z.output<typeof ColumnReading>

/** Scope in which a dedup key or a PURL is unique: the whole account, or its import. */
export const PurlScope = z.enum(['account', 'import'])
export type PurlScope = z.output<typeof PurlScope>

/** Thousands of rows that are committed together. */
export const BatchSize = z.union([z.literal(25), z.literal(50), z.literal(75), z.literal(100)])

export const maxPurlColumns = 3
export const maxDedupColumns = 5

/** A column or field, as the header of a file names it: see `tidyName`. */
const AnyName = z.string().overwrite(tidyName)
const ColumnName = AnyName.min(1)
/** A name as files are stored under it; the same letters may be typed as different characters. */
export const UploadName = z
  .string()
  .min(1, messages.required)
  // In a name typed as letters with separate marks, each character takes up to four.
  .max(4 * fileNameMaxLength)
  .transform((name) => normalizeText(name, 'NFC'))
const Recipient = personalAddress('Invalid email address!')

/** People who are emailed about an import, each once. */
const Recipients = z.array(Recipient).max(20).transform(withoutRepeated)

/** Returns the message for the first recipient of an import that is not an address; null if there is none. */
export function recipientsProblem(emails: readonly string[]): string | null {
  const issues = emails.flatMap((email) => Recipient.safeParse(email).error?.issues ?? [])
  return issues[0]?.message ?? null
}

/** Name of a sheet of a workbook, which Excel limits to 31 characters; other programs do not. */
export const SheetName = z.string().min(1, messages.required).max(255, messages.invalid)

/** Field name → choice for cells that do not fit it. */
export const MismatchByField = z.record(ColumnName, MismatchChoice)
export type MismatchByField = z.output<typeof MismatchByField>

/** Header name → how its cells are read. */
export const ColumnTypes = z.record(ColumnName, ColumnReading)
export type ColumnTypes = z.output<typeof ColumnTypes>

const ColumnMapping = z.record(AnyName, AnyName.nullable())
const columnList = (max: number) => z.array(ColumnName).max(max, `At most ${max} columns can be chosen.`)

/** Fields by whose values contacts are recognized, at least one. */
export const DedupColumns = columnList(maxDedupColumns).min(1, messages.required)

/** A file of contacts. */
export const NewImport = z.strictObject({
  kind: z.literal('contacts').optional(),
  name: JobName,
  /** Name under which the file was uploaded. */
  filePath: UploadName,
  /** No effect for a workbook. */
  fileDelimiter: ImportDelimiter,
  /** Sheet of a workbook; by default, the first that is not hidden. */
  fileSheet: SheetName.optional(),
  ...headerOptions,
  processBatchSize: BatchSize,
  generatePURL: z.boolean(),
  purlGenerationScope: PurlScope,
  /** A known contact keeps its PURL ("Same PURL for the same contact"). */
  dedupHashMatching: z.boolean(),
  /** Infer columns of numbers, booleans, moments and days; otherwise every new column is text. */
  typeCasting: z.boolean(),
  exportOnImportCompletion: z.boolean(),
  purlColumns: columnList(maxPurlColumns).optional(),
  dedupColumns: columnList(maxDedupColumns).optional(),
  latitudeColumn: ColumnName.optional(),
  longitudeColumn: ColumnName.optional(),
  notificationEmails: Recipients.optional(),
  /** Header name → field name, or null to leave the column out. Other columns keep their names. */
  columnMapping: ColumnMapping.optional(),
  /** For cells that do not fit their field; `cell` by default. Cells of dedup columns set their row aside instead. */
  onMismatch: MismatchChoice.optional(),
  /** Field name → its own choice, which overrides `onMismatch`. */
  onMismatchByField: MismatchByField.optional(),
  /**
   * Header name → its type, and how its cells are read; `typeCasting` infers the others. It must be the type of an
   * existing field. Cells that cannot be read do not fit their field; `text` of `onMismatch` leaves them out too.
   */
  columnTypes: ColumnTypes.optional(),
})
export type NewImport = z.input<typeof NewImport>

/**
 * A file of events. Each row belongs to the only contact whose `keyField` equals the row's value of `keyColumn`; if
 * there is none, letter case and surrounding white space are ignored. A row whose key matches no contact, or several,
 * is set aside. Columns named like the fields of an event feed these; others become custom fields, at most 50.
 */
export const NewEventImport = z.strictObject({
  kind: z.literal('events'),
  name: JobName,
  /** Name under which the file was uploaded. */
  filePath: UploadName,
  /** No effect for a workbook. */
  fileDelimiter: ImportDelimiter,
  /** Sheet of a workbook; by default, the first that is not hidden. */
  fileSheet: SheetName.optional(),
  ...headerOptions,
  processBatchSize: BatchSize,
  /** Column of the file with the key of the row's contact. It is not part of the event. */
  keyColumn: AnyName.min(1, messages.required),
  /** Field that identifies contacts: `_id`, `purl`, or another one, preferably indexed. */
  keyField: AnyName.min(1, messages.required),
  /** Infers number and boolean custom fields; otherwise they are text. */
  typeCasting: z.boolean().optional(),
  notificationEmails: Recipients.optional(),
  /** Header name → field of an event or name of a custom field, or null to leave the column out. */
  columnMapping: ColumnMapping.optional(),
  /**
   * For values of `is_trigger` that are neither true nor false; `cell` by default. An event needs its code and date: a
   * row without them is set aside.
   */
  onMismatch: MismatchChoice.exclude(['text']).optional(),
})
export type NewEventImport = z.input<typeof NewEventImport>

/** Progress of undoing an import, and who requested it. `status` is never `recovery`; `reason`: why it was rejected. */
const UndoState = z.object({
  status: JobStatus,
  by: z.string(),
  requestDate: Instant,
  lastActivityDate: Instant.nullable(),
  reason: z.string().nullable(),
})

/** Current step of the worker. */
export const ImportPhase = z.enum(['examining', 'staging', 'matching', 'loading', 'indexing'])
export type ImportPhase = z.output<typeof ImportPhase>

export const Import = z.object({
  _id: z.string(),
  accountId: z.number(),
  name: z.string(),
  kind: ImportKind,
  creationDate: Instant,
  creator: z.string(),
  status: JobStatus,
  phase: ImportPhase.nullable(),
  /** Rows loaded and committed, out of `totalRecords` (null until the file has been read once). */
  processedRecords: z.number(),
  totalRecords: z.number().nullable(),
  /**
   * Processed rows that added a contact (or an event), that changed one from its state after the previous rows, whether
   * of this file or not, or that did not change it. Together they are `processedRecords`.
   */
  createdRecords: z.number(),
  updatedRecords: z.number(),
  unchangedRecords: z.number(),
  /** Rows that could not be loaded; the report lists each with line and reason. */
  setAsideRecords: z.number(),
  /** Cells of the other rows that do not fit their field, and are left out; the report lists their rows too. */
  setAsideCells: z.number(),
  /** Rows of the file without a value, which are skipped. */
  emptyRecords: z.number(),
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
  /** Sheet of the workbook; null for other files. */
  fileSheet: z.string().nullable(),
  /** Line on which the header begins; null for the first row with a value. */
  headerLine: z.number().nullable(),
  nameColumns: z.boolean(),
  filePath: z.string(),
  /** Size of the uploaded file in bytes. */
  fileSize: z.number(),
  databaseName: z.string(),
  recoveryCount: z.number(),
  recoveryError: z.string().nullable(),
  /** Names of the file's columns, in order, without blank ones; empty until the file has been read. */
  header: z.array(z.string()),
  columnMapping: z.record(z.string(), z.string().nullable()).nullable(),
  /**
   * Column of the file → choice for its cells that do not fit their field, from `onMismatch`, `onMismatchByField` and
   * `dedupColumns`. Empty until the file has been read, and for events.
   */
  columnValidation: z.record(z.string(), MismatchChoice),
  /** The fields that identify contacts, in the form of an index: the dedup columns; for events, `keyField`. */
  indexObject: z.record(z.string(), z.literal(1)),
  onMismatch: MismatchChoice,
  onMismatchByField: z.record(z.string(), MismatchChoice),
  columnTypes: z.record(z.string(), ColumnReading),
  /** For events: the column with the contact's key, and the field it is matched with. */
  keyColumn: z.string().nullable(),
  keyField: z.string().nullable(),
  /** Null if no one has requested to undo it. */
  undo: UndoState.nullable(),
  /** Until when it can be undone; null if it cannot. */
  undoUntil: Instant.nullable(),
  /** Whether later imports must share its settings: not if the import was undone with all of its contacts. */
  binds: z.boolean(),
})
export type Import = z.output<typeof Import>

const FieldName = AnyName.min(1, messages.required).max(fieldNameMaxLength, {
  message: messages.invalid,
  abort: true,
})

/**
 * Initial values of the form for an account's first import (specification 2 §2, List Service Configuration). Later ones
 * start from the previous import.
 */
export const ImportDefaults = z.strictObject({
  purlColumns: z
    .array(FieldName)
    .max(maxPurlColumns, { message: messages.notAllowed, abort: true })
    .superRefine(refuseUnfit),
  dedupColumns: z
    .array(FieldName)
    .max(maxDedupColumns, { message: messages.notAllowed, abort: true })
    .superRefine(refuseUnfit),
  notificationEmails: z
    .array(Email)
    .max(20, { message: messages.notAllowed, abort: true })
    .superRefine((emails, context) => refuseAt(repeatedAddresses(emails), context)),
})
export type ImportDefaults = z.output<typeof ImportDefaults>

/** As stored: it may contain emails from earlier releases that are refused now. */
export const StoredImportDefaults = ImportDefaults.extend({
  notificationEmails: z.array(z.string()),
  version: Version,
})
export type StoredImportDefaults = z.output<typeof StoredImportDefaults>

function refuseUnfit(names: readonly string[], context: z.RefinementCtx): void {
  refuseRepeated(names, context)
  names.forEach((name, index) => {
    const isInternal = internalFieldNames.some((internal) => isSameName(internal, name))
    if (isInternal) context.addIssue({ code: 'custom', message: messages.notAllowed, path: [index] })
  })
}

function refuseRepeated(texts: readonly string[], context: z.RefinementCtx): void {
  refuseAt(repeatedPositions(texts.map(foldName)), context)
}

function refuseAt(positions: readonly number[], context: z.RefinementCtx): void {
  for (const index of positions) context.addIssue({ code: 'custom', message: messages.duplicate, path: [index] })
}

const path = '/contact-service/v1/imports'
const params = z.object({ id: z.string() })

export const importsApi = {
  listImports: {
    method: 'GET',
    path,
    summary: 'List or count imports, newest first unless sorted',
    access: 'contact-service::imports::get',
    query: ListQuery,
    reply: listReply(Import),
    errors: ['invalid_filter'],
  },
  getImportDefaults: {
    method: 'GET',
    path: '/contact-service/v1/configuration',
    summary: 'Get the defaults of the first import',
    access: 'contact-service::imports::get',
    reply: StoredImportDefaults,
  },
  setImportDefaults: {
    method: 'PUT',
    path: '/contact-service/v1/configuration',
    summary: 'Change the defaults of the first import',
    access: 'administrator',
    action: 'contact-service::configuration::put',
    stores: { what: 'work', does: 'change settings of the account' },
    body: ImportDefaults.extend(versionOfChange),
    reply: StoredImportDefaults,
    errors: ['newer_version'],
  },
  getImport: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get an import',
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
    stores: { what: 'work', does: 'save imports with Auto Export', onlyWith: { exportOnImportCompletion: 'given' } },
    body: z.discriminatedUnion('kind', [NewImport, NewEventImport]),
    reply: Import,
    status: 201,
    errors: ['name_taken', 'limit_reached', 'storage_full'],
  },
  cancelImport: {
    method: 'PUT',
    path: `${path}/:id`,
    summary: 'Cancel an import; committed rows stay',
    access: 'contact-service::imports::put',
    stores: false,
    params,
    body: z.strictObject({ cancel: z.literal(true) }),
    reply: Import,
    errors: ['not_found', 'not_cancellable'],
  },
  getSetAsideReport: {
    method: 'GET',
    path: `${path}/:id/set-aside`,
    summary: 'Create a link to a CSV of rows set aside, each with line and reason',
    access: 'contact-service::imports::get',
    params,
    reply: z.object({ url: z.string() }),
    errors: ['not_found', 'not_ready'],
  },
  getContactLine: {
    method: 'GET',
    path: `${path}/:id/contacts/:contact`,
    summary: 'Get the file line a contact came from; null if it was not recorded',
    access: 'contact-service::imports::get',
    params: params.extend({ contact: z.string() }),
    reply: z.object({ line: z.number().nullable() }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>
