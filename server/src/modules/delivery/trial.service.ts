import { randomUUID } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import type { Notification } from '@portico/contract/notifications'
import { recordAudit } from '#audit'
import { requireAccount } from '#accounts'
import type { Actor } from '#platform/actor.ts'
import { invalidField } from '#platform/app-error.ts'
import type { BoundedQueue } from '#platform/bounded-queue.ts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import type { Mail } from '#platform/mail.ts'
import type { Outbound } from '#platform/outbound.ts'
import type { Secrets } from '#platform/secrets.ts'
import { selectDeliveries } from './deliveries.queries.ts'
import { failureOf } from './delivery-failure.ts'
import { type DeliverySecrets, missingSecrets, openSecrets, splitSecrets, withKeptSecrets } from './delivery-secrets.ts'
import { sftpTarget } from './delivery-send.service.ts'
import { sendEmail } from './send-email.ts'
import { sendHttp, signingSecret } from './send-http.ts'
import { tryUpload } from './send-sftp.ts'

type TrialDeps = { db: Db; mail: Mail; outbound: Outbound; config: Config; sealer: Secrets; queue: BoundedQueue }
type Asker = { account: AccountId; by: Actor; signal: AbortSignal }
type Answer = { isOk: boolean; message: string }

/**
 * Tries a notification out for real: a message, a call, or a small file that is removed again. What went wrong at the
 * other end is the answer, not an error.
 * @throws too_many_requests when too many are tried at once; invalid_input for a secret that is nowhere to be had
 */
export async function tryNotification(
  deps: TrialDeps,
  asker: Asker,
  notification: Notification,
  exportId: string | undefined,
): Promise<Answer> {
  const { settings, secrets } = await completeSecrets(deps, asker.account, notification, exportId)
  const answer = await deps.queue(async (): Promise<Answer> => {
    try {
      return { isOk: true, message: await attempt(deps, asker, settings, secrets) }
    } catch (error) {
      return { isOk: false, message: failureOf(error).message }
    }
  })
  await recordAudit(deps.db, {
    account: asker.account,
    ...asker.by,
    action: 'notification tried',
    subject: settings.type,
    details: answer,
  })
  return answer
}

async function completeSecrets(
  { db, sealer }: TrialDeps,
  account: AccountId,
  notification: Notification,
  exportId: string | undefined,
) {
  const { settings, secrets: given } = splitSecrets(notification)
  const known = exportId !== undefined && /^\d{1,18}$/.test(exportId)
  const rows = known ? await selectDeliveries(db, account, 'export', [exportId]) : []
  const row = rows.find(({ settings: { type } }) => type === settings.type)
  const kept = row ? { settings: row.settings, secrets: openSecrets(sealer, row.sealed_secrets, row.id) } : null
  const secrets = withKeptSecrets(settings, given, kept)
  const [missing] = missingSecrets(settings, secrets)
  if (missing !== undefined) throw invalidField(`notification.${missing}`, 'Value is required!')
  return { settings, secrets }
}

async function attempt(
  { db, mail, outbound, config }: TrialDeps,
  { account, signal }: Asker,
  settings: Notification,
  secrets: DeliverySecrets,
): Promise<string> {
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
      return sendEmail(mail, id, settings, values)
    case 'http':
      return sendHttp(
        outbound,
        { settings, secrets, id, secret: signingSecret(config.secretKey, account) },
        values,
        signal,
      )
    case 'sftp':
      return tryUpload(outbound, sftpTarget(db, account, settings, secrets), id, signal)
  }
}
