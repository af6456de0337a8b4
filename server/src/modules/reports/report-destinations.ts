import type { AccountId } from '@portico/contract/accounts'
import { readEmailList } from '@portico/contract/email-list'
import type { Notification } from '@portico/contract/notifications'
import { momentInWords } from '@portico/domain/scheduler/time-words'
import type { BiInstruction, DownloadSettings, NotificationSettings } from '@portico/contract/scheduler/instructions'
import { wallTimeOf } from '@portico/domain/scheduler/zone-offsets'
import { type DeliveryChange, type DeliveryRow, splitSecrets, targetOf } from '#delivery'
import type { PresentSettings, StartedRun } from '#scheduler'
import { reportEmail } from './report-email.ts'
import type { ReportRow, ReportSettings } from './tables.ts'

// Destinations of a report's files, from its cron at the start of the run or when a delivery is sent again.

type Due = Pick<StartedRun, 'zone' | 'dueAt'>

/** For example 'report-2026-12-01-0930', in the cron's time zone. */
export function datedName({ fileName }: DownloadSettings, { zone, dueAt }: Due): string {
  const due = new Date(wallTimeOf(zone, dueAt.getTime())).toISOString()
  return `${fileName}-${due.slice(0, 16).replace('T', '-').replace(':', '')}`
}

/** The file's name on an SFTP server. */
export const remoteNameOf = (download: DownloadSettings, due: Due, ending: string): string =>
  `${download.overwrite ? download.fileName : datedName(download, due)}${ending}`

/** The upload of a report, with its password. */
export function uploadTo({ host, folder, port, user, password }: NonNullable<StartedRun['transfer']>): Notification {
  return { type: 'sftp', host, folder, port: port ?? 22, user, password, privateKey: null }
}

export const emailTo = (
  notification: NotificationSettings,
  { emails, zone, dueAt }: Due & Pick<StartedRun, 'emails'>,
): NonNullable<ReportSettings['email']> => ({
  ...notification,
  to: readEmailList(emails),
  dueText: momentInWords(zone, dueAt.getTime()),
})

/** The destination of files or emails by the settings of a cron; null if they have none. */
export function targetFor(present: PresentSettings<BiInstruction>, kind: DeliveryRow['kind']): string | null {
  const { transfer, emails } = present
  if (kind === 'sftp') return transfer && targetOf(uploadTo(transfer))
  return present.kept.instruction.notification?.from ? readEmailList(emails).join(', ') : null
}

/** The settings for sending a delivery of a report again: the cron's present ones, applied to the existing file. */
export function deliveryNow(
  report: ReportRow,
  { kind, file }: Pick<DeliveryRow, 'kind' | 'file'>,
  present: PresentSettings<BiInstruction>,
  downloadsUrl: string,
): DeliveryChange | null {
  const { download, notification } = present.kept.instruction
  const { transfer } = present
  if (!file) return null
  if (kind === 'sftp') {
    if (!transfer) return null
    const fileName = remoteNameOf(download, present, /\.[a-z]+$/.exec(file.fileName)?.[0] ?? '')
    return { ...splitSecrets(uploadTo(transfer)), file: { fileName, replaces: download.overwrite } }
  }
  const settings = { ...report.settings, email: notification ? emailTo(notification, present) : null }
  const letter = reportEmail({ name: report.name, settings }, file, downloadsUrl)
  return letter && { settings: { type: 'letter', ...letter } }
}

/** URL of the page with the account's files, which requires sign-in. */
export const downloadsUrl = ({ publicUrl }: { publicUrl: string }, account: AccountId): string =>
  `${publicUrl}/downloads?account=${account}`
