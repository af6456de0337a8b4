import { canonicalJson, jsonIn } from '../json-values.ts'
import { z } from 'zod'
import { readEndpoint } from '../endpoints.ts'
import { NewExport } from '../exports.ts'
import { messages } from '../messages.ts'
import { maxNotifications, Notification } from '../notifications.ts'
import { judgedValue, readBy } from '../read-text.ts'
import { isSenderAddress } from '../senders.ts'
import { customOffset, isOffset } from '@portico/domain/scheduler/offset-window'
import { schedulerMessages } from './scheduler-messages.ts'

/** The services whose work can be scheduled. */
export const consumerCodes = ['EXPORT', 'BI'] as const

/** In any letter case. */
export const ConsumerCode = z
  .string()
  .trim()
  .toUpperCase()
  .pipe(z.enum(consumerCodes))
  .meta({ description: 'EXPORT or BI, in any letter case.' })
export type ConsumerCode = z.output<typeof ConsumerCode>

/** A text or a whole number, as text. See `offset-window.ts`. */
const Offset = z
  .union([z.string().trim().max(20, { message: messages.invalid, abort: true }), z.number().int().transform(String)])
  .superRefine((offset, context) => {
    if (offset === '' || isOffset(offset)) return
    const isTooGreat = /^\d+$/.test(offset) && Number(offset) > customOffset.most
    context.addIssue({ code: 'custom', message: isTooGreat ? schedulerMessages.offsetTooGreat : messages.invalid })
  })
  .transform((offset) => (offset === '' ? undefined : offset))
  .optional()

/** Minutes, from older clients. The cron's time zone is used instead. */
const timezoneOffset = z.number().optional()

/** An export, created again for each run. Secrets of notifications may be left out if they are already stored. */
export const ExportInstruction = NewExport.extend({
  notifications: z.array(Notification).max(maxNotifications, `At most ${maxNotifications} notification.`).optional(),
  offset: Offset,
  /** The field that the window of the offset applies to: a date field of contacts, or `events.event_date` (default). */
  dateField: z.string().trim().min(1).max(200).optional(),
  timezoneOffset,
})
export type ExportInstruction = z.output<typeof ExportInstruction>

/** The default date field of an instruction. */
export const defaultDateField = 'events.event_date'

/** Formats of the files of reports; `xlsx` makes an Excel workbook. */
export const downloadDelimiters = ['comma', 'pipe', 'tab', 'xlsx'] as const

/** File names of reports: 5 to 100 letters, digits and the characters of the hint. */
export const fileNamePattern = /^[A-Za-z0-9('!\-_.*)]{5,100}$/
export const fileNameHint = "5 to 100 characters: letters, digits and ( ' ! - _ . * )"

export const DownloadSettings = z.strictObject({
  fileName: z.string().trim().min(1, messages.required).regex(fileNamePattern, messages.invalid),
  delimiter: z.enum(downloadDelimiters).default('comma'),
  /** One file for each table or chart; otherwise one for all, in a workbook with a sheet for each. */
  multipleFiles: z.boolean().default(false),
  zipped: z.boolean().default(false),
  /** No effect for a workbook. */
  addQuotes: z.boolean().default(false),
  /** Same name on the SFTP server for each run; otherwise the name has the date. */
  overwrite: z.boolean().default(false),
})
export type DownloadSettings = z.output<typeof DownloadSettings>

/** An email with the files' link; none is sent without a sender. Texts may contain `reportPlaceholders`. */
export const NotificationSettings = z
  .strictObject({
    from: z.string().trim().max(320, { abort: true }).default(''),
    fromName: z.string().trim().max(100, { abort: true }).default(''),
    subject: z.string().trim().max(300, { abort: true }).default(''),
    bodyHtml: z.string().max(100_000, { abort: true }).default(''),
    bodyText: z.string().max(100_000, { abort: true }).default(''),
    /** Attaches the files, up to 10 MB. */
    attachFiles: z.boolean().default(false),
  })
  .superRefine(({ from, ...texts }, context) => {
    if (from === '') return
    const issue = (key: string, message: string) => context.addIssue({ code: 'custom', message, path: [key] })
    if (!isSenderAddress(from)) issue('from', messages.invalid)
    for (const key of ['fromName', 'subject', 'bodyHtml'] as const) {
      if (texts[key].trim() === '') issue(key, messages.required)
    }
  })
export type NotificationSettings = z.output<typeof NotificationSettings>

/** Placeholders in the texts of a report's email, such as `{{reportName}}`. */
export const reportPlaceholders = ['reportName', 'dueDate', 'url'] as const

/** Initial texts of the email in the dialog (specification 4 §9). */
export const defaultEmail = {
  fromName: 'Reports',
  bodyHtml: '<p>Your report {{reportName}} is ready. <a href="{{url}}">Download it</a>.</p>',
  bodyText: 'Your report {{reportName}} is ready. Download it: {{url}}',
} as const

const dashboardUrl = /^\/api\/contact-service\/v1\/dashboards\/([\w-]{1,100})$/

/** Returns the id of the dashboard that an instruction's `url` names; null if it is not exactly the path of one. */
export const dashboardIdOf = (url: string): string | null => dashboardUrl.exec(url)?.[1] ?? null

export const dashboardUrlOf = (id: string): string => `/api/contact-service/v1/dashboards/${id}`

/** The data of a dashboard, as files. */
export const BiInstruction = z.strictObject({
  url: z
    .string()
    .min(1, messages.required)
    .max(200, { message: messages.invalid, abort: true })
    .refine((url) => url === '' || dashboardIdOf(url) !== null, messages.invalid)
    .describe('Path of a dashboard: /api/contact-service/v1/dashboards/{id}. It is read, never called.'),
  offset: Offset,
  download: DownloadSettings,
  notification: NotificationSettings.optional(),
  /** Id of a saved filter that narrows every cell. */
  rdl: z.string().max(100).nullish(),
  /** Ids of the tables and charts in the report; by default all of the dashboard. */
  cells: z.array(z.string().min(1).max(100)).min(1, messages.required).max(500).optional(),
  timezoneOffset,
})
export type BiInstruction = z.output<typeof BiInstruction>

export type Instruction = ExportInstruction | BiInstruction

export const instructionSchemas = { EXPORT: ExportInstruction, BI: BiInstruction } as const

/** Returns the value itself, or the content of its JSON text. Null for a text that is not JSON. */
export const instructionValue = (value: unknown): unknown =>
  typeof value === 'string' ? (jsonIn(value) ?? null) : value

/** Maximum characters of an instruction as text, in which the text of a filter is quoted once more. */
const mostInstruction = 1_500_000

/**
 * An instruction as a client sends it: an object, or its JSON text. Only the consumer knows which instructions it
 * accepts, and refuses all others; so conditions check an instruction by the one schema that accepts it.
 */
export const SentInstruction = readBy(
  z.union([
    z.string().max(mostInstruction, messages.tooLarge).transform(canonicalJson),
    z.record(z.string(), z.unknown()),
  ]),
  (sent) => judgedInstruction(instructionValue(sent) ?? sent),
)

/**
 * Returns an instruction for conditions to check: as read by the consumer that accepts it, or unchanged if none does.
 */
export function judgedInstruction(value: unknown): unknown {
  for (const schema of Object.values(instructionSchemas)) {
    const read = schema.safeParse(withReadEndpoints(value))
    if (read.success) return judgedValue(schema, read.data)
  }
  return value
}

/**
 * Calls of an earlier release use the URL that programs read from their endpoint, which the contract may refuse now.
 */
function withReadEndpoints(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value['notifications'])) return value
  const notifications = value['notifications'].map((each: unknown) =>
    isObject(each) && typeof each['endpoint'] === 'string'
      ? { ...each, endpoint: readEndpoint(each['endpoint']) }
      : each,
  )
  return { ...value, notifications }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
