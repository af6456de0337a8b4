import { randomUUID } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import { canonicalSftpFolder } from '@portico/contract/sftp-places'
import { canonicalEndpoint, withoutCredentials } from '@portico/contract/endpoints'
import type { Delivery, Notification } from '@portico/contract/notifications'
import { messages } from '@portico/contract/messages'
import { recordAudit } from '#audit'
import type { StoredRequest } from '#credentials'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { updateJobRow } from '#platform/jobs/job-rows.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Secrets } from '#platform/secrets.ts'
import {
  type AttemptRow,
  type DeliveredFile,
  type DeliveryColumns,
  deliveryJobs,
  type DeliveryRow,
  insertDelivery,
  selectAttempts,
  selectDeliveries,
  selectDelivery,
  type Subject,
  updateAbandoned,
  updateFileReady,
} from './deliveries.queries.ts'
import {
  type DeliverySecrets,
  type DeliverySettings,
  type PreparedEmail,
  missingSecrets,
  sealSecrets,
  splitSecrets,
} from './delivery-secrets.ts'
import { enqueueAttempt } from './delivery-queue.service.ts'
import { isUuid } from '#platform/ids.ts'

/**
 * Records the deliveries of a subject, in the transaction that creates it. Nothing is sent before `enqueueDeliveries`.
 * @throws invalid_input for a missing secret
 */
export async function planDeliveries(
  tx: Db,
  sealer: Secrets,
  account: AccountId,
  subject: Subject,
  notifications: readonly Notification[],
): Promise<void> {
  for (const [position, notification] of notifications.entries()) {
    const id = randomUUID()
    const { settings, secrets } = splitSecrets(notification)
    const [missing] = missingSecrets(settings, secrets)
    if (missing !== undefined) throw invalidField(`notifications.${position}.${missing}`, messages.required)
    await insertDelivery(tx, account, {
      ...newDelivery(id, subject, position, settings),
      sealed_secrets: sealSecrets(sealer, secrets, id),
      file: null,
    })
  }
}

/** Enqueues the deliveries of a finished file, in the transaction that completes its subject. Returns their number. */
export async function enqueueDeliveries(
  tx: Db,
  jobs: Jobs,
  account: AccountId,
  subject: Subject,
  file: DeliveredFile,
): Promise<number> {
  const deliveries = await updateFileReady(tx, account, subject, file)
  for (const delivery of deliveries) await enqueueAttempt(tx, jobs, account, delivery)
  return deliveries.length
}

/** Rejects the deliveries of a subject that ended without a file. */
export async function abandonDeliveries(tx: Db, account: AccountId, subject: Subject): Promise<void> {
  await updateAbandoned(tx, account, subject, 'There was no file to deliver.')
}

/** Sends an email about a subject, with its file attached if the email says so. Safe to repeat: only one is sent. */
export async function sendEmailAbout(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  subject: Subject,
  email: Omit<PreparedEmail, 'type'>,
  { position = 0, file = null }: { position?: number; file?: DeliveredFile | null } = {},
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const id = randomUUID()
    const settings = { type: 'letter' as const, ...email }
    const row = newDelivery(id, subject, position, settings)
    const stored = { ...row, sealed_secrets: null, file: file && JSON.stringify(file) }
    if (!(await insertDelivery(tx, account, stored))) return
    await enqueueAttempt(tx, jobs, account, { id, settings })
  })
}

function newDelivery(id: string, subject: Subject, position: number, settings: DeliverySettings) {
  return {
    id,
    subject_kind: subject.kind,
    subject_id: subject.id,
    position,
    kind: kindOf(settings),
    settings: JSON.stringify(settings),
    status: 'waiting' as const,
    asked_by: 'job' as const,
    result: null,
    next_attempt_at: null,
    created_at: new Date(),
    remote_name: null,
  }
}

/** Returns the deliveries of several subjects of one kind, by subject id. */
export async function deliveriesOf(
  db: Db,
  account: AccountId,
  kind: Subject['kind'],
  subjectIds: readonly string[],
): Promise<Map<string, DeliveryRow[]>> {
  return Map.groupBy(await selectDeliveries(db, account, kind, subjectIds), (row) => row.subject_id)
}

/** The notifications of a subject as submitted, without secrets. */
export function notificationsOf(rows: readonly DeliveryRow[]): Notification[] {
  return rows.flatMap(({ settings }) => (settings.type === 'letter' ? [] : [splitSecrets(settings).settings]))
}

/** The deliveries of a subject, each with every attempt. */
export async function listDeliveries(db: Db, account: AccountId, subject: Subject): Promise<Delivery[]> {
  return withAttempts(db, account, await selectDeliveries(db, account, subject.kind, [subject.id]))
}

/** Settings with which a delivery is sent again, replacing those it was planned with. */
export type DeliveryChange = {
  settings: DeliverySettings
  secrets?: DeliverySecrets
  /** How the file is placed on an SFTP server. */
  file?: Pick<DeliveredFile, 'fileName' | 'replaces'>
}

type Resending = {
  /** The current settings, null if the delivery no longer exists, and the caller who applies them. */
  change?: {
    of: (row: DeliveryRow) => Promise<DeliveryChange | null>
    sealer: Secrets
    holder: string
    /** The call that saved those settings. */
    saving: StoredRequest
  }
  /** Runs in the same transaction. */
  also?: (tx: Db) => Promise<void>
}

/**
 * Delivers again immediately, with up to five retries.
 * @throws not_found; not_ready when a delivery is in progress, there is no file to deliver, or the delivery no longer
 * exists
 */
export async function resendDelivery(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  by: Actor,
  { subject, id }: { subject: Subject; id: string },
  { change, also }: Resending = {},
): Promise<Delivery> {
  const isId = isUuid(id)
  const row = isId ? await selectDelivery(db, account, id) : undefined
  if (!row || row.subject_kind !== subject.kind || row.subject_id !== subject.id) throw new AppError('not_found')
  if (!row.file) throw new AppError('not_ready', undefined, 'There is no file to deliver.')
  if (Date.parse(row.file.expiresAt) <= Date.now()) {
    throw new AppError('not_ready', undefined, 'The file has expired and was removed.')
  }
  const isIdle = row.status === 'completed' || row.status === 'rejected' || row.next_attempt_at !== null
  if (!isIdle) throw new AppError('not_ready', undefined, 'A delivery is already in progress.')
  const renewed = change ? await changeOf(row, row.file, change) : { columns: {}, settings: row.settings }
  const changed = await inTransaction(db, async (tx) => {
    const started = { status: 'waiting' as const, recovery_count: 0, next_attempt_at: null }
    // Requested explicitly: a file that has already arrived is sent again.
    const columns = { ...started, ...renewed.columns, asked_by: 'resend' as const, remote_name: null }
    const waiting = await updateJobRow(tx, account, deliveryJobs, row, columns)
    if (!waiting) throw new AppError('not_ready', undefined, 'A delivery is already in progress.')
    await enqueueAttempt(tx, jobs, account, { id: row.id, settings: renewed.settings })
    await recordAudit(tx, {
      account,
      ...by,
      action: `${subject.kind} delivered again`,
      subject: row.file?.name ?? subject.id,
      details: { id: subject.id, delivery: row.id, target: targetOf(renewed.settings) },
    })
    await also?.(tx)
    return waiting
  })
  const [delivery] = await withAttempts(db, account, [changed])
  if (!delivery) throw new AppError('not_found')
  return delivery
}

/**
 * The columns of a delivery after applying the current settings.
 * @throws not_ready
 */
async function changeOf(
  row: DeliveryRow,
  file: DeliveredFile,
  { of, sealer, holder, saving }: NonNullable<Resending['change']>,
): Promise<{ columns: DeliveryColumns; settings: DeliverySettings }> {
  const maker = file.maker?.actsAs?.holder
  if (maker !== undefined && maker !== holder) throw new AppError('not_ready', undefined, ofAnother)
  const change = await of(row)
  if (!change) throw new AppError('not_ready', undefined, 'The cron has no such delivery any more.')
  const { settings, secrets = {} } = change
  const columns = {
    kind: kindOf(settings),
    settings: JSON.stringify(settings),
    sealed_secrets: sealSecrets(sealer, secrets, row.id),
    file: JSON.stringify({ ...savedBy(file, saving), ...change.file }),
  }
  return { columns, settings }
}

/** A file sent to the destination in a cron's current settings depends on the right to save that cron now. */
function savedBy({ maker, ...file }: DeliveredFile, cron: StoredRequest): DeliveredFile {
  if (!maker?.actsAs) return maker ? { ...file, maker } : file
  return { ...file, maker: { ...maker, actsAs: { ...maker.actsAs, cron } } }
}

const ofAnother = 'The cron now runs with the rights of another identity than this file. Run its due time again.'

const kindOf = ({ type }: DeliverySettings): DeliveryRow['kind'] => (type === 'letter' ? 'email' : type)

async function withAttempts(db: Db, account: AccountId, rows: readonly DeliveryRow[]): Promise<Delivery[]> {
  const ids = rows.map(({ id }) => id)
  const attempts = Map.groupBy(await selectAttempts(db, account, ids), (attempt) => attempt.delivery_id)
  return rows.map((row) => ({
    _id: row.id,
    kind: row.kind,
    target: targetOf(row.settings),
    status: row.status,
    recoveryCount: row.recovery_count,
    result: row.result,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    attempts: (attempts.get(row.id) ?? []).map(toAttempt),
  }))
}

function toAttempt({ started_at: at, ended_at: end, is_ok: isOk, result, asked_by: trigger }: AttemptRow) {
  return {
    at: at.toISOString(),
    durationMs: Math.max(0, (end ?? at).getTime() - at.getTime()),
    isOk: isOk ?? false,
    result: result ?? '',
    trigger,
  }
}

/** The recipient or address as typed, without the query of a URL, which may contain a secret. */
export function targetOf(settings: DeliverySettings): string {
  switch (settings.type) {
    case 'letter':
      return settings.to.join(', ')
    case 'email':
      return settings.to
    case 'http':
      // Parsing the URL would percent-encode its placeholders.
      return `${settings.method.toUpperCase()} ${canonicalEndpoint(withoutCredentials(settings.endpoint)).replace(/[?#].*$/s, '')}`
    case 'sftp':
      return `sftp://${settings.user}@${settings.host}:${settings.port}/${canonicalSftpFolder(settings.folder).replace(/^\/+/, '')}`
  }
}
