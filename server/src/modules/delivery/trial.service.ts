import { randomUUID } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import type { Notification } from '@portico/contract/notifications'
import { messages } from '@portico/contract/messages'
import { familyOfAccount } from '#accounts'
import { recordAudit } from '#audit'
import { requireAccount } from '#accounts'
import { requireSender } from '#senders'
import type { Actor } from '#platform/actor.ts'
import { invalidField } from '#platform/app-error.ts'
import type { Caller } from '#platform/http/context.ts'
import { createFairQueue, type FairQueue } from '#platform/waits/fair-queue.ts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Mail } from '#platform/mail.ts'
import { createOutbound, type Outbound } from '#platform/outbound.ts'
import { createSecrets, type Secrets } from '#platform/secrets.ts'
import type { Services } from '#platform/services.ts'
import { selectDeliveries } from './deliveries.queries.ts'
import { failureOf } from './delivery-failure.ts'
import {
  deliveriesPurpose,
  type DeliverySecrets,
  type DeliverySettings,
  missingSecrets,
  openSecrets,
  type PreparedEmail,
  splitSecrets,
  withKeptSecrets,
} from './delivery-secrets.ts'
import { sftpTarget } from './delivery-send.service.ts'
import { outcomeOf } from './hidden-values.ts'
import { filledEmail, recordEmail, sendEmail } from './send-email.ts'
import { sendHttp, signingSecrets } from './send-http.ts'
import { tryUpload } from './send-sftp.ts'
import { isRowNumber } from '#platform/ids.ts'

type TrialDeps = {
  db: Db
  mail: Mail
  jobs: Jobs
  outbound: Outbound
  config: Config
  sealer: Secrets
  queue: FairQueue
}
type Requester = { account: AccountId; by: Actor; email: string; signal: AbortSignal; callerNow: () => Promise<Caller> }
type TrialResult = { isOk: boolean; message: string }

// Short, because a user waits in the dialog.
const trialTimeouts = { connectMs: 10_000, responseMs: 15_000, idleMs: 15_000, stuckMs: 15_000 }

/** The services of all trials in one process, which share a queue. */
export type Trials = Omit<TrialDeps, 'db'>

export function openTrials({ config, mail, jobs }: Pick<Services, 'config' | 'mail' | 'jobs'>): Trials {
  return {
    config,
    mail,
    jobs,
    outbound: createOutbound(config.outboundAllow, trialTimeouts),
    sealer: createSecrets(config.secretKey, deliveriesPurpose),
    queue: createFairQueue({ atOnce: 16, each: 2, waiting: 4 }),
  }
}

/**
 * Tests a notification with a real message, call or small file that is deleted again. An email goes to the caller only.
 * A failure at the receiver is returned, not thrown.
 * @throws too_many_requests when too many trials of the account run at once; invalid_input for a missing secret or an
 * unverified sender
 */
export async function tryNotification(
  deps: TrialDeps,
  requester: Requester,
  notification: Notification,
  exportId: string | undefined,
): Promise<TrialResult> {
  if (notification.type === 'email') {
    await requireSender(deps.db, deps.config, requester.account, { ...notification, field: 'notification' })
  }
  const { settings, secrets } = await completeSecrets(deps, requester.account, notification, exportId)
  return tried(deps, requester, { settings, secrets }, () => attempt(deps, requester, settings, secrets))
}

/**
 * Tests, in the same way, an upload whose secrets are already filled in.
 * @throws too_many_requests
 */
export function tryUploadTo(deps: TrialDeps, requester: Requester, upload: Notification): Promise<TrialResult> {
  const { settings, secrets } = splitSecrets(upload)
  return tried(deps, requester, { settings, secrets }, () => attempt(deps, requester, settings, secrets))
}

/**
 * Sends a prepared email to the caller only, instead of its recipients.
 * @throws too_many_requests
 */
export function tryLetter(deps: TrialDeps, requester: Requester, letter: PreparedEmail): Promise<TrialResult> {
  const email = { ...letter, to: [requester.email] }
  return tried(deps, requester, { settings: letter, secrets: {} }, () =>
    sendTrialEmail(deps, requester, randomUUID(), email),
  )
}

/** Runs a trial when it is its turn, and records it in the audit log. Its result contains no secret. */
async function tried(
  { db, queue }: Pick<TrialDeps, 'db' | 'queue'>,
  { account, by, callerNow }: Requester,
  { settings, secrets }: { settings: DeliverySettings; secrets: DeliverySecrets },
  work: () => Promise<string>,
): Promise<TrialResult> {
  const redact = outcomeOf(settings, secrets)
  const result = await queue(await familyOfAccount(db, account), async (): Promise<TrialResult> => {
    // The caller may have lost the right while waiting for their turn.
    await callerNow()
    try {
      return { isOk: true, message: redact(await work()) }
    } catch (error) {
      return { isOk: false, message: redact(failureOf(error).message) }
    }
  })
  const subject = settings.type === 'letter' ? 'email' : settings.type
  await recordAudit(db, { account, ...by, action: 'notification tried', subject, details: result })
  return result
}

async function completeSecrets(
  { db, sealer }: TrialDeps,
  account: AccountId,
  notification: Notification,
  exportId: string | undefined,
) {
  const { settings, secrets: given } = splitSecrets(notification)
  const known = exportId !== undefined && isRowNumber(exportId)
  const rows = known ? await selectDeliveries(db, account, 'export', [exportId]) : []
  const row = rows.find(({ settings: { type } }) => type === settings.type)
  const kept = row ? { settings: row.settings, secrets: openSecrets(sealer, row.sealed_secrets, row.id) } : null
  const secrets = withKeptSecrets(settings, given, kept)
  const [missing] = missingSecrets(settings, secrets)
  if (missing !== undefined) throw invalidField(`notification.${missing}`, messages.required)
  return { settings, secrets }
}

async function attempt(
  deps: TrialDeps,
  { account, by, email, signal }: Requester,
  settings: Notification,
  secrets: DeliverySecrets,
): Promise<string> {
  const { db, outbound, config } = deps
  const id = randomUUID()
  const now = new Date().toISOString()
  const values = {
    name: 'Trial',
    url: `${config.publicUrl}/downloads`,
    records: 0,
    size: 0,
    account: (await requireAccount(db, account)).name,
    date: now,
    expires: now,
  }
  switch (settings.type) {
    case 'email':
      return sendTrialEmail(deps, { account, by }, id, { ...filledEmail(settings, values), to: [email] })
    case 'http':
      return sendHttp(
        outbound,
        { settings, secrets, id, signingSecrets: signingSecrets(config.secretKey, account) },
        values,
        { account, signal },
      )
    case 'sftp':
      return tryUpload(outbound, sftpTarget(db, account, settings, secrets), id, signal)
  }
}

async function sendTrialEmail(
  deps: TrialDeps,
  { account, by }: Pick<Requester, 'account' | 'by'>,
  id: string,
  email: ReturnType<typeof filledEmail>,
): Promise<string> {
  const sent = await sendEmail(deps, account, id, email)
  await recordEmail(deps.db, account, by, sent)
  return sent.result
}
