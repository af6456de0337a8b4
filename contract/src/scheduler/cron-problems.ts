import type { z } from 'zod'
import { checkInput } from '../check-input.ts'
import { readAddressList } from '../email-address.ts'
import { addDays, type Day, isDay, todayIn } from '@portico/domain/days'
import { readEmailList } from '../email-list.ts'
import type { FieldProblem } from '../errors.ts'
import { messages } from '../messages.ts'
import { maxRecipients, NewNotification, tooManyRecipients, unknownPlaceholders } from '../notifications.ts'
import { placeholderProblem } from '../placeholders.ts'
import { canonicalSftpHost, reportFolderProblem, sftpHostProblem } from '../sftp-places.ts'
import { parseCron } from '@portico/domain/scheduler/cron-fields'
import { partsOf } from '@portico/domain/scheduler/cron-parts'
import {
  type CronTiming,
  dayOf,
  everRuns,
  isDayText,
  nextDueTimes,
  runsTooOften,
  startOf,
} from '@portico/domain/scheduler/cron-times'
import { type CronDraft, leastPort, maxRepeats } from './crons.ts'
import {
  type ConsumerCode,
  type ExportInstruction,
  instructionSchemas,
  instructionValue,
  type NotificationSettings,
  reportPlaceholders,
} from './instructions.ts'
import { schedulerMessages } from './scheduler-messages.ts'
import { changedFields } from './timing-changes.ts'
import { isTimeZone } from '@portico/domain/scheduler/zone-offsets'
import { isSameName } from '@portico/domain/names'

/** A stored cron that is being changed: as it was sent, except for secrets. */
export type KeptCron = Omit<CronDraft, 'ftpPass'> & {
  /** Whether a password is stored for its host, port and user. */
  hasPassword: boolean
}

export type CronContext = {
  consumerCode: ConsumerCode
  /** In ms; the database's clock if the server checks. */
  now: number
  /** Names of the consumer's other crons that are not terminated. */
  otherNames: readonly string[]
  /** Null for a new cron. */
  kept: KeptCron | null
}

export const cronTexts = {
  tooOften: 'Leave at least 5 minutes between two runs.',
  neverRuns: 'This never runs.',
  noRunLeft: 'There is no run between the start and the end.',
  lateEnd: 'Choose an end at most 50 years after the start.',
} as const

const problem = (field: string, message: string): FieldProblem => ({ field, message })

/**
 * Returns all problems of a cron, by field (specification 4 §5). Used by both the dialog and the server; the dialog's
 * own choices are checked by `choiceProblems`.
 */
export function cronProblems(cron: CronDraft, context: CronContext): FieldProblem[] {
  return [
    ...nameProblems(cron.name, context.otherNames),
    ...emailProblems(cron.notificationEmails),
    ...(context.kept
      ? changedFields(cron, context.kept).map((field) => problem(field, messages.notAllowed))
      : timingProblems(cron, context.now)),
    ...instructionProblems(cron, context),
    ...transferProblems(cron, context),
  ]
}

export function nameProblems(name: string, otherNames: readonly string[]): FieldProblem[] {
  if (name.trim() === '') return [problem('name', messages.required)]
  const isTaken = otherNames.some((other) => isSameName(other, name))
  return isTaken ? [problem('name', schedulerMessages.nameTaken)] : []
}

export function emailProblems(text: string): FieldProblem[] {
  const emails = readEmailList(text)
  if (emails.length === 0) return [problem('notificationEmails', messages.required)]
  const { addresses, problems } = readAddressList(emails, schedulerMessages.badEmail)
  if (problems.length > 0) return [problem('notificationEmails', problems.join(', '))]
  return addresses.length > maxRecipients ? [problem('notificationEmails', tooManyRecipients)] : []
}

export function timingProblems(cron: CronTiming, now: number): FieldProblem[] {
  const expression = expressionProblems(cron.cron)
  const zone = zoneProblems(cron.cronTZ)
  // Days are those of the time zone.
  if (zone.length > 0) return [...expression, ...zone, ...(cron.cronStart === '' ? startProblems(cron, now) : [])]
  const dates = [...startProblems(cron, now), ...endProblems(cron)]
  const found = [...expression, ...dates]
  if (found.length > 0) return found
  if (nextDueTimes({ ...cron, savedAt: now }, Math.max(now, startOf(cron) - 1) - 1, 1).length > 0) return []
  return [problem(cron.cronEnd ? 'cronEnd' : 'cronStart', cronTexts.noRunLeft)]
}

function expressionProblems(expression: string): FieldProblem[] {
  if (expression.trim() === '') return [problem('cron', messages.required)]
  if (!parseCron(expression)) return [problem('cron', messages.invalid)]
  if (runsTooOften(expression)) return [problem('cron', cronTexts.tooOften)]
  return everRuns(expression) ? [] : [problem('cron', cronTexts.neverRuns)]
}

export function zoneProblems(zone: string): FieldProblem[] {
  if (zone.trim() === '') return [problem('cronTZ', messages.required)]
  return isTimeZone(zone) ? [] : [problem('cronTZ', messages.invalid)]
}

/** The last day on which a cron can begin. */
const lastStart: Day = '2199-12-01'

function isDate(text: string): boolean {
  return isDayText(text) ? isDay(text) : /^\d{4}-\d\d-\d\dT/.test(text) && Number.isFinite(Date.parse(text))
}

/** Expects a valid time zone, unless there is no start. */
function startProblems(cron: CronTiming, now: number): FieldProblem[] {
  const { cronStart, cronTZ } = cron
  if (cronStart.trim() === '') return [problem('cronStart', messages.required)]
  if (!isDate(cronStart)) return [problem('cronStart', messages.invalid)]
  const day = dayOf(cronStart, cronTZ)
  const period = partsOf(cron)?.period
  const today = todayIn(cronTZ, new Date(now))
  const isPast = day < today || (day === today && hasPassed(cron, now, today))
  if (isPast && (period === 'Daily' || period === 'Once')) return [problem('cronStart', schedulerMessages.past)]
  return day < today || day > lastStart ? [problem('cronStart', messages.invalid)] : []
}

/** Returns whether the only run of its first day, which is today, is past. */
function hasPassed(cron: CronTiming, now: number, today: Day): boolean {
  const parts = partsOf(cron)
  if (parts?.period === 'Once') return startOf(cron) < now
  if (parts?.period !== 'Daily') return false
  const [first] = nextDueTimes({ ...cron, cronStart: today, cronEnd: null, cronRepeat: null }, 0, 1)
  return first !== undefined && first < now
}

/** Returns the last day on which a cron that begins on a day can end. */
const lastEnd = (start: Day): Day => `${Number(start.slice(0, 4)) + 50}${start.slice(4)}`

/** Both bounds are days in the time zone. */
function endProblems({ cronStart, cronEnd, cronRepeat, cronTZ }: CronTiming): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (cronEnd) {
    if (!isDate(cronEnd)) return [problem('cronEnd', messages.invalid)]
    const isEarly = isDate(cronStart) && dayOf(cronEnd, cronTZ) < addDays(dayOf(cronStart, cronTZ), 2)
    if (isEarly) problems.push(problem('cronEnd', messages.invalid))
    else if (isDate(cronStart) && dayOf(cronEnd, cronTZ) > lastEnd(dayOf(cronStart, cronTZ))) {
      problems.push(problem('cronEnd', cronTexts.lateEnd))
    }
  }
  if (typeof cronRepeat !== 'number') return problems
  const isCount = Number.isInteger(cronRepeat) && cronRepeat >= 1 && cronRepeat <= maxRepeats
  if (!isCount) problems.push(problem('cronRepeat', messages.invalid))
  // A cron ends by one or the other.
  else if (cronEnd) problems.push(problem('cronRepeat', messages.notAllowed))
  return problems
}

function instructionProblems({ instruction }: CronDraft, { consumerCode, kept }: CronContext): FieldProblem[] {
  const isMissing = instruction === undefined || instruction === null || instruction === ''
  if (isMissing) {
    return [problem('instruction', consumerCode === 'BI' ? schedulerMessages.noInstruction : messages.required)]
  }
  const checked = checkInput<z.ZodType<object>>(instructionSchemas[consumerCode], instructionValue(instruction))
  if (!checked.success) {
    return checked.error.issues.map(({ path, message }) => problem(['instruction', ...path].join('.'), message))
  }
  return [
    ...('notification' in checked.data ? emailTextProblems(checked.data.notification as NotificationSettings) : []),
    ...('notifications' in checked.data
      ? notificationProblems(checked.data.notifications as ExportInstruction['notifications'], kept !== null)
      : []),
  ]
}

/** Secrets can be left out only if they are already stored. */
function notificationProblems(notifications: ExportInstruction['notifications'] = [], isKept: boolean): FieldProblem[] {
  return notifications.flatMap((notification, index) => {
    const missing = isKept ? [] : (checkInput(NewNotification, notification).error?.issues ?? [])
    return [...missing, ...unknownPlaceholders(notification)].map(({ path, message }) =>
      problem(['instruction', 'notifications', index, ...path].join('.'), message),
    )
  })
}

/** Returns unknown placeholders in the email of a report. */
export function emailTextProblems(notification: NotificationSettings | undefined): FieldProblem[] {
  if (!notification || notification.from === '') return []
  const { fromName, subject, bodyHtml, bodyText } = notification
  const filled = Object.entries({ subject, bodyHtml, bodyText }).map(([key, text]) => ({
    key,
    text,
    known: reportPlaceholders,
  }))
  return [{ key: 'fromName', text: fromName, known: [] }, ...filled].flatMap(({ key, text, known }) => {
    const message = placeholderProblem(text, known)
    return message === null ? [] : [problem(`instruction.notification.${key}`, message)]
  })
}

export function transferProblems(
  cron: CronDraft,
  { consumerCode, kept }: Pick<CronContext, 'consumerCode' | 'kept'>,
): FieldProblem[] {
  if (!cron.transferProtocol) return []
  // Exports are delivered by their own notifications.
  if (consumerCode === 'EXPORT') return [problem('transferProtocol', messages.notAllowed)]
  const { ftpHost, ftpFolder, ftpUser } = cron
  const problems = Object.entries({ ftpHost, ftpFolder, ftpUser }).flatMap(([field, value]) =>
    value ? [] : [problem(field, messages.required)],
  )
  const host = ftpHost ? sftpHostProblem(ftpHost) : null
  if (host !== null) problems.push(problem('ftpHost', host))
  const folder = ftpFolder ? reportFolderProblem(ftpFolder) : null
  if (folder !== null) problems.push(problem('ftpFolder', folder))
  const port = portOf(cron.ftpPort)
  if (port !== null && !(Number.isInteger(port) && port >= leastPort && port <= 65_535)) {
    problems.push(problem('ftpPort', messages.invalid))
  }
  // Otherwise the password would be sent to another server.
  const isSameHost = kept !== null && canonicalSftpHost(kept.ftpHost ?? '') === canonicalSftpHost(ftpHost ?? '')
  const isSamePlace = isSameHost && kept?.ftpUser === ftpUser && portOf(kept?.ftpPort) === portOf(cron.ftpPort)
  if (!cron.ftpPass && !(kept?.hasPassword && isSamePlace)) problems.push(problem('ftpPass', messages.required))
  return problems
}

/** Returns the typed port; null if there is none. */
export const portOf = (port: number | string | null | undefined): number | null =>
  port === null || port === undefined || port === '' ? null : Number(port)
