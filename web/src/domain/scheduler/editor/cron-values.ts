import { choiceProblems, type EndType } from '@portico/contract/scheduler/choice-problems'
import { expressionOf, partsOf, type Period } from '@portico/domain/scheduler/cron-parts'
import { cronProblems } from '@portico/contract/scheduler/cron-problems'
import { dayOf } from '@portico/domain/scheduler/cron-times'
import type { Cron, CronDraft } from '@portico/contract/scheduler/crons'
import {
  type ConsumerCode,
  defaultEmail,
  defaultDateField,
  type downloadDelimiters,
} from '@portico/contract/scheduler/instructions'
import { offsetChoices } from '@portico/domain/scheduler/offset-window'
import { isTimeZone, momentOf } from '@portico/domain/scheduler/zone-offsets'

/** Width of the cron dialog in pixels, also of its placeholder. */
export const cronEditorWidth = 860

type Download = {
  fileName: string
  delimiter: (typeof downloadDelimiters)[number]
  multipleFiles: boolean
  zipped: boolean
  addQuotes: boolean
  overwrite: boolean
}

type Notification = {
  from: string
  fromName: string
  subject: string
  bodyHtml: string
  bodyText: string
  attachFiles: boolean
}

/** All values of the dialog. Days are texts such as `2026-12-31`, empty if none is chosen. */
export type CronValues = {
  name: string
  notificationEmails: string
  cronTZ: string
  period: Period | null
  weekdays: number[]
  days: number[]
  hour: number | null
  minute: number
  start: string
  endType: EndType
  cronEnd: string
  cronRepeat: number | null
  offset: string | null
  /** The offset is typed as a number of days. */
  isCustomOffset: boolean
  /** For exports: the date field that the offset's window applies to. */
  dateField: string
  /** For reports: id of the saved filter that narrows them. */
  rdl: string | null
  /** For reports: path of the dashboard. */
  url: string
  /** For reports: ids of the chosen tables and charts; null for all, including those added to the dashboard later. */
  cells: string[] | null
  download: Download
  transferProtocol: '' | 'sftp'
  ftpHost: string
  ftpFolder: string
  ftpPort: string
  ftpUser: string
  ftpPass: string
  notification: Notification
}

const noDownload: Download = {
  fileName: '',
  delimiter: 'comma',
  multipleFiles: false,
  zipped: false,
  addQuotes: false,
  overwrite: false,
}

const noNotification: Notification = { from: '', subject: '', ...defaultEmail, attachFiles: false }

/** The dialog's initial values for a new cron, in the given time zone. */
export const newValues = (cronTZ: string): CronValues => ({
  name: '',
  notificationEmails: '',
  cronTZ,
  period: null,
  weekdays: [],
  days: [],
  hour: null,
  minute: 0,
  start: '',
  endType: 'End Date',
  cronEnd: '',
  cronRepeat: null,
  offset: null,
  isCustomOffset: false,
  dateField: defaultDateField,
  rdl: null,
  url: '',
  cells: null,
  download: noDownload,
  transferProtocol: '',
  ftpHost: '',
  ftpFolder: '',
  ftpPort: '',
  ftpUser: '',
  ftpPass: '',
  notification: noNotification,
})

/** The dialog's values for an existing cron. A timing that the dialog cannot express leaves its fields empty. */
export function valuesOf(cron: Cron): CronValues {
  // Validated by the server on saving.
  const { download, notification, offset, dateField, rdl, url, cells } = (cron.instruction ?? {}) as {
    download?: Partial<Download>
    notification?: Partial<Notification>
    offset?: string
    dateField?: string
    rdl?: string | null
    url?: string
    cells?: string[]
  }
  return {
    ...newValues(cron.cronTZ),
    ...partsOf(cron),
    start: dayOf(cron.cronStart, cron.cronTZ),
    endType: cron.cronRepeat === null ? 'End Date' : 'Number of repeats',
    cronEnd: cron.cronEnd === null ? '' : dayOf(cron.cronEnd, cron.cronTZ),
    cronRepeat: cron.cronRepeat,
    offset: offset ?? null,
    isCustomOffset: offset !== undefined && !Object.hasOwn(offsetChoices, offset),
    dateField: dateField ?? defaultDateField,
    rdl: rdl ?? null,
    url: url ?? '',
    cells: cells ?? null,
    name: cron.name,
    notificationEmails: cron.notificationEmails,
    download: { ...noDownload, ...download },
    transferProtocol: cron.transferProtocol,
    ftpHost: cron.ftpHost,
    ftpFolder: cron.ftpFolder,
    ftpPort: cron.ftpPort === null ? '' : String(cron.ftpPort),
    ftpUser: cron.ftpUser,
    notification: { ...noNotification, ...notification },
  }
}

/** The timing as sent. Its expression is empty until period and hour are chosen. */
export function timingOf(values: CronValues) {
  const { cronTZ, period, weekdays, days, hour, minute, start, endType, cronEnd, cronRepeat } = values
  const needs = period === 'Weekly' ? weekdays : period === 'Monthly' ? days : [1]
  const isChosen = period !== null && hour !== null && needs.length > 0 && (period !== 'Once' || start !== '')
  const cron = isChosen ? expressionOf({ period, weekdays, days, hour, minute }, start) : ''
  if (period !== 'Once') {
    const end = endType === 'End Date' ? { cronEnd: cronEnd || null } : { cronRepeat }
    return { cron, cronTZ, cronStart: start, ...end }
  }
  return { cron, cronTZ, cronStart: isChosen ? onceAt(values, hour) : start, cronRepeat: 1 }
}

function onceAt({ start, cronTZ, minute }: CronValues, hour: number): string {
  const wallTime = Date.parse(`${start}T00:00:00Z`) + (hour * 60 + minute) * 60_000
  if (Number.isNaN(wallTime) || !isTimeZone(cronTZ)) return start
  return new Date(momentOf(cronTZ, wallTime)).toISOString()
}

/** The parts of a cron. */
export type Whole = {
  consumerCode: ConsumerCode
  values: CronValues
  /** The rest of the instruction: an export, or the address of a dashboard. Null: not given. */
  instruction: Record<string, unknown> | null
  /** The existing cron, whose timing stays. */
  kept: Cron | null
}

/** The cron as sent. */
export function draftOf({ consumerCode, values, instruction, kept }: Whole): CronDraft {
  const { name, notificationEmails, transferProtocol, ftpHost, ftpFolder, ftpPort, ftpUser, ftpPass } = values
  const base = kept ? (kept.instruction ?? null) : instruction && { ...instruction, ...chosenOf(consumerCode, values) }
  const { download, notification, cells } = values
  const { cron, cronTZ, cronStart, cronEnd, cronRepeat } = kept ?? {
    cronEnd: null,
    cronRepeat: null,
    ...timingOf(values),
  }
  return {
    name: name.trim(),
    consumerCode,
    notificationEmails: notificationEmails.trim(),
    cronTZ,
    cron,
    cronStart,
    ...(cronEnd && { cronEnd }),
    ...(cronRepeat !== null && { cronRepeat }),
    terminated: kept?.terminated ?? false,
    instruction: base && consumerCode === 'BI' ? { ...base, download, notification, cells: cells ?? undefined } : base,
    ...(consumerCode === 'BI' && { transferProtocol }),
    ...(transferProtocol !== '' && { ftpHost, ftpFolder, ftpPort, ftpUser, ...(ftpPass !== '' && { ftpPass }) }),
  }
}

/** The parts that the dialog adds to the instruction of a new cron. */
function chosenOf(consumerCode: ConsumerCode, { offset, dateField, rdl, url }: CronValues) {
  const window = { offset: offset ?? '' }
  return consumerCode === 'EXPORT' ? { ...window, dateField } : { ...window, url, rdl: rdl ?? undefined }
}

/** All problems of the dialog's values, by field. The first problem of a field counts. */
export function problemsOf(whole: Whole, otherNames: readonly string[], now: number): ReadonlyMap<string, string> {
  const { consumerCode, values, kept } = whole
  // Before the hour is chosen, a start counts as not passed until its day ends.
  const judged = values.hour === null ? { ...values, hour: 23, minute: 59 } : values
  const found = [
    ...(kept ? [] : choiceProblems(values)),
    ...cronProblems(draftOf({ ...whole, values: judged }), {
      consumerCode,
      now,
      otherNames,
      kept: kept && { ...keptDraft(kept), hasPassword: kept.transferProtocol !== '' },
    }),
  ]
  const problems = new Map<string, string>()
  for (const { field, message } of found) if (!problems.has(field)) problems.set(field, message)
  return problems
}

/** An existing cron in the form in which it is sent. */
export function keptDraft(cron: Cron): CronDraft {
  const { name, consumerCode, notificationEmails, cronTZ, cronStart, cronEnd, cronRepeat, terminated } = cron
  const { transferProtocol, ftpHost, ftpFolder, ftpPort, ftpUser } = cron
  const timing = { cron: cron.cron, cronTZ, cronStart, cronEnd, cronRepeat }
  const transfer = { transferProtocol, ftpHost, ftpFolder, ftpPort, ftpUser }
  const instruction = cron.instruction ?? null
  return { name, consumerCode, notificationEmails, ...timing, terminated, instruction, ...transfer }
}
