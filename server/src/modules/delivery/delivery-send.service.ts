import { buffer } from 'node:stream/consumers'
import type { AccountId } from '@portico/contract/accounts'
import type { Notification } from '@portico/contract/notifications'
import { requireAccount } from '#accounts'
import type { Config } from '#platform/config.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Attachment, Mail } from '#platform/mail.ts'
import type { Outbound } from '#platform/outbound.ts'
import { type LinkGrant, maxLinkSeconds, type Storage } from '#platform/storage.ts'
import { type DeliveredFile, updateRemoteName } from './deliveries.queries.ts'
import type { DeliverySecrets, DeliverySettings, PreparedEmail } from './delivery-secrets.ts'
import { fileRefusal, linkOf, makerOf } from './delivered-file.service.ts'
import { DeliveryFailed } from './delivery-failed.ts'
import { insertHostKey } from './host-keys.queries.ts'
import type { PlaceholderValues } from './placeholders.ts'
import { filledEmail, sendEmail, type SentEmail } from './send-email.ts'
import { sendHttp, signingSecrets } from './send-http.ts'
import { type SftpTarget, uploadFile } from './send-sftp.ts'

export type SendDeps = {
  database: Database
  storage: Storage
  mail: Mail
  jobs: Jobs
  outbound: Outbound
  config: Config
}

/** The outcome of an attempt as a sentence, and the email, if one was sent. */
export type Sent = { result: string; email?: SentEmail }

export type Sending = {
  id: string
  settings: DeliverySettings
  secrets: DeliverySecrets
  /** Null for most prepared emails, and only for them. */
  file: DeliveredFile | null
  /** The name that an earlier upload has chosen on the server. */
  remoteName: string | null
}

/** Makes one attempt. @throws any error; `failureOf` turns it into a reason */
export async function send(
  deps: SendDeps,
  account: AccountId,
  { id, settings, secrets, file, remoteName }: Sending,
  signal: AbortSignal,
): Promise<Sent> {
  const grant = await requireGrant(deps.database, account, id, file)
  const emailDeps = { ...deps, db: deps.database.db }
  if (settings.type === 'letter') {
    return emailed(await sendEmail(emailDeps, account, id, settings, await attachmentOf(deps, settings, file)))
  }
  if (!file || Date.parse(file.expiresAt) <= Date.now()) {
    throw new DeliveryFailed('The file has expired and was removed.', true)
  }
  if (settings.type === 'sftp') {
    const upload = {
      id,
      fileName: file.fileName,
      replaces: file.replaces ?? false,
      sizeBytes: file.sizeBytes,
      open: () => deps.storage.read(file.storageKey),
      chosenName: remoteName,
      choose: (name: string) => updateRemoteName(deps.database.db, account, id, name),
    }
    const target = sftpTarget(deps.database.db, account, settings, secrets)
    return { result: await uploadFile(deps.outbound, target, upload, signal) }
  }
  const seconds = settings.type === 'http' ? settings.signedUrlExpiryBySecond : maxLinkSeconds
  const values = await valuesOf(deps, account, settings.type, { file, grant }, seconds)
  if (settings.type === 'email') return emailed(await sendEmail(emailDeps, account, id, filledEmail(settings, values)))
  const call = { settings, secrets, id, signingSecrets: signingSecrets(deps.config.secretKey, account) }
  return { result: await sendHttp(deps.outbound, call, values, { account, signal }) }
}

const emailed = (email: SentEmail): Sent => ({ result: email.result, email })

/** The file to attach to an email, if it has one. */
async function attachmentOf(
  { storage }: SendDeps,
  { attaches }: PreparedEmail,
  file: DeliveredFile | null,
): Promise<Attachment | null> {
  if (!attaches || !file) return null
  // Only files of a few megabytes are attached.
  const content = await buffer(await storage.read(file.storageKey))
  return { fileName: file.fileName, contentType: file.contentType, content }
}

export function sftpTarget(
  db: Db,
  account: AccountId,
  settings: SftpTarget['settings'],
  secrets: DeliverySecrets,
): SftpTarget {
  const { host, port } = settings
  return {
    account,
    settings,
    secrets,
    pinHostKey: (fingerprint) => insertHostKey(db, account, { host, port, fingerprint }),
  }
}

/** Placeholder values: formatted for readers in an email, raw for programs in a call. */
async function valuesOf(
  { database, storage }: SendDeps,
  account: AccountId,
  type: Notification['type'],
  { file, grant }: { file: DeliveredFile; grant: LinkGrant | undefined },
  linkSeconds: number,
): Promise<PlaceholderValues> {
  // A link never outlives its file.
  const left = Math.floor((Date.parse(file.expiresAt) - Date.now()) / 1000)
  const expiresInSeconds = Math.max(1, Math.min(linkSeconds, left))
  const expires = new Date(Date.now() + expiresInSeconds * 1000)
  const url = await storage.downloadUrl(file.storageKey, {
    expiresInSeconds,
    contentType: file.contentType,
    downloadName: file.fileName,
    absolute: true,
    ...(grant && { grant }),
  })
  const { name: accountName, timeZone } = await requireAccount(database.db, account)
  const named = { name: file.name, url, account: accountName }
  if (type !== 'email') {
    const times = { date: file.completedAt, expires: expires.toISOString() }
    return { ...named, ...times, records: file.records, size: file.sizeBytes }
  }
  const format = dateFormat(timeZone)
  return {
    ...named,
    date: format.format(new Date(file.completedAt)),
    expires: format.format(expires),
    records: file.records.toLocaleString('en-US'),
    size: sizeInWords(file.sizeBytes),
  }
}

/**
 * Makes sure that a file may still be sent on behalf of its creator. Returns the grant for links to the file, which
 * depend on the same right; undefined for a file of the portal itself.
 * @throws DeliveryFailed once the right is lost
 */
async function requireGrant(
  database: Database,
  account: AccountId,
  delivery: string,
  file: DeliveredFile | null,
): Promise<LinkGrant | undefined> {
  const maker = file && makerOf(file)
  if (!maker) return undefined
  const reason = await fileRefusal(database, account, maker)
  if (reason === null) return linkOf(account, maker, delivery)
  const message = `Nothing was sent, because ${maker.email} no longer has the right to export contacts of this account.`
  throw new DeliveryFailed(`${message} ${reason}`, true)
}

/** Formats times in the time zone of the account. */
function dateFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'medium', timeStyle: 'long' })
}

/** Returns `1.5 MB`, in steps of 1000 like the web app. */
export function sizeInWords(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`
}
