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

// Where the files of a report go: as its cron says when the run starts, or when a delivery is sent again.

type Due = Pick<StartedRun, 'zone' | 'dueAt'>

/** 'report-2026-12-01-0930', in the zone of the cron. */
export function datedName({ fileName }: DownloadSettings, { zone, dueAt }: Due): string {
  const due = new Date(wallTimeOf(zone, dueAt.getTime())).toISOString()
  return `${fileName}-${due.slice(0, 16).replace('T', '-').replace(':', '')}`
}

/** The name at an SFTP server. */
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

/** Where the settings of a cron send its files, or its email; null where they send none. */
export function targetFor(present: PresentSettings<BiInstruction>, kind: DeliveryRow['kind']): string | null {
  const { transfer, emails } = present
  if (kind === 'sftp') return transfer && targetOf(uploadTo(transfer))
  return present.kept.instruction.notification?.from ? readEmailList(emails).join(', ') : null
}

/** The settings by which a delivery of a report is sent again: those that its cron has now, for the file that there is. */
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

/** The page of an account's files, which asks for sign-in. */
export const downloadsUrl = ({ publicUrl }: { publicUrl: string }, account: AccountId): string =>
  `${publicUrl}/downloads?account=${account}`
