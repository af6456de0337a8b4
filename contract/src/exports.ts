import { z } from 'zod'
import { filterLimits, stagesText } from './filter.ts'
import { Instant, JobName, JobStatus } from './jobs.ts'
import { ListQuery, listReply } from './list-query.ts'
import { DeliveryStatus, maxNotifications, ShownNotification, WrittenNotification } from './notifications.ts'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'
import { messages } from './messages.ts'

/** The delimiter of a text file; `xlsx` makes an Excel workbook instead. */
export const ExportDelimiter = z.enum(['csv', 'tab', 'pipe', 'semicolon', 'xlsx'])
export type ExportDelimiter = z.output<typeof ExportDelimiter>
export type TextDelimiter = Exclude<ExportDelimiter, 'xlsx'>

/** Returns whether files with this delimiter are named .csv, and have a byte order mark by default. */
export const isForSpreadsheets = (delimiter: ExportDelimiter): boolean =>
  delimiter === 'csv' || delimiter === 'semicolon'

/** Returns the extension of a file with this delimiter. */
export function fileEnding(delimiter: ExportDelimiter): '.csv' | '.txt' | '.xlsx' {
  if (delimiter === 'xlsx') return '.xlsx'
  return isForSpreadsheets(delimiter) ? '.csv' : '.txt'
}

export const NewExport = z.strictObject({
  name: JobName,
  delimiter: ExportDelimiter,
  /** Packs the file as .zip. */
  shouldZip: z.boolean().optional(),
  /**
   * Starts the file with a byte order mark, by which Excel recognizes UTF-8. By default, files with commas or
   * semicolons have one, and others do not. A workbook never has one.
   */
  byteOrderMark: z.boolean().optional(),
  // PostgreSQL returns at most 1,664 columns at once.
  /**
   * Names of fields. `events.event_code` and so on give a row for each event, as do the names under which applications
   * have recorded values (`listEventFields`). When the filter groups: columns of its groups.
   */
  exportFields: z
    .array(z.string().min(1).max(500))
    .min(1, messages.required)
    .max(1600, 'At most 1,600 fields fit in one file.'),
  /**
   * The filter: a JSON array of stages, as text. Without it, every contact is exported. With a `$group` it takes any
   * pipeline, as `aggregate` does, and the file has a row for each group.
   */
  aggregateQuery: stagesText(z.string().trim().max(filterLimits.storedLength, messages.tooLarge)).optional(),
  /** Notifications of its end, and deliveries of its file. */
  notifications: z
    .array(WrittenNotification)
    .max(maxNotifications, `At most ${maxNotifications} notification.`)
    .optional(),
})
export type NewExport = z.input<typeof NewExport>
export type ExportDraft = z.output<typeof NewExport>

const deliveryFigures = {
  /** Status of that delivery; null if none of the kind is configured. */
  status: DeliveryStatus.nullable(),
  /** Attempts after the first. */
  recoveryCount: z.number().nullable(),
  /** Last reply of the receiver. */
  result: z.string().nullable(),
}

export const Export = z.object({
  _id: z.string(),
  accountId: z.number(),
  name: z.string(),
  creationDate: Instant,
  creator: z.string(),
  status: JobStatus,
  processedRecords: z.number(),
  /** Rows of the file (contacts, events or groups), counted when the export starts. */
  totalRecords: z.number().nullable(),
  startDate: Instant.nullable(),
  lastActivityDate: Instant.nullable(),
  delimiter: ExportDelimiter,
  databaseName: z.string(),
  recoveryCount: z.number(),
  recoveryError: z.string().nullable(),
  exportFields: z.array(z.string()),
  /** The filter as requested. */
  aggregateQuery: z.string().nullable(),
  /** It has only contacts that its creator could see, by a row rule which is not part of `aggregateQuery`. */
  isRestricted: z.boolean(),
  /** Size of the finished file in bytes. */
  fileSize: z.number().nullable(),
  shouldZip: z.boolean(),
  byteOrderMark: z.boolean(),
  /** The file has expired. */
  isExpired: z.boolean(),
  /** Without secrets. */
  notifications: z.array(ShownNotification),
  emailStatus: deliveryFigures.status,
  emailRecoveryCount: deliveryFigures.recoveryCount,
  emailResult: deliveryFigures.result,
  httpRequestStatus: deliveryFigures.status,
  httpRequestRecoveryCount: deliveryFigures.recoveryCount,
  httpRequestResult: deliveryFigures.result,
  sftpStatus: deliveryFigures.status,
  sftpRecoveryCount: deliveryFigures.recoveryCount,
  sftpResult: deliveryFigures.result,
})
export type Export = z.output<typeof Export>

/** How the files of an account's exports are written. */
export const ExportSettings = z.strictObject({
  /**
   * Puts an apostrophe before text that a spreadsheet would run as a formula, in files with commas or semicolons.
   * Imports of such files remove it.
   */
  guardFormulas: z.boolean(),
})
export type ExportSettings = z.output<typeof ExportSettings>

export const StoredExportSettings = ExportSettings.extend({ version: Version })
export type StoredExportSettings = z.output<typeof StoredExportSettings>

const path = '/contact-service/v1/exports'
const settingsPath = '/contact-service/v1/configuration/exports'
const params = z.object({ id: z.string() })

export const exportsApi = {
  getExportSettings: {
    method: 'GET',
    path: settingsPath,
    summary: 'Get the export file settings',
    access: 'contact-service::exports::get',
    reply: StoredExportSettings,
  },
  setExportSettings: {
    method: 'PUT',
    path: settingsPath,
    summary: 'Change the export file settings',
    access: 'administrator',
    action: 'contact-service::configuration::put',
    stores: { what: 'work', does: 'change settings of the account' },
    body: ExportSettings.extend(versionOfChange),
    reply: StoredExportSettings,
    errors: ['newer_version'],
  },
  listExports: {
    method: 'GET',
    path,
    summary: 'List or count exports, newest first unless sorted',
    access: 'contact-service::exports::get',
    query: ListQuery,
    reply: listReply(Export),
    errors: ['invalid_filter', 'timed_out'],
  },
  getExport: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get an export',
    access: 'contact-service::exports::get',
    params,
    reply: Export,
    errors: ['not_found'],
  },
  createExport: {
    method: 'POST',
    path,
    summary: 'Export contacts to a file',
    access: 'contact-service::exports::post',
    stores: { what: 'work', does: 'save exports that are delivered', onlyWith: { notifications: 'given' } },
    body: NewExport,
    reply: Export,
    status: 201,
    errors: ['name_taken', 'limit_reached', 'invalid_filter', 'timed_out'],
  },
  cancelExport: {
    method: 'PUT',
    path: `${path}/:id`,
    summary: 'Cancel an export',
    access: 'contact-service::exports::put',
    stores: false,
    params,
    body: z.strictObject({ cancel: z.literal(true) }),
    reply: Export,
    errors: ['not_found', 'not_cancellable'],
  },
  /**
   * `file` is the export's id plus `.csv`, or `.txt` for the other delimiters, `.xlsx` for a workbook; `.zip` follows
   * for a zipped one. With semicolons, both `.csv` and `.txt` work. An expired file gives `not_found`.
   */
  getDownload: {
    method: 'GET',
    path: '/contact-service/v1/downloads/:file',
    summary: 'Create a signed link to the file of a finished export',
    access: 'contact-service::downloads::get',
    params: z.object({ file: z.string() }),
    reply: z.object({ url: z.string() }),
    errors: ['not_found', 'not_ready'],
  },
} as const satisfies Record<string, Route>
