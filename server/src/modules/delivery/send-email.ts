import type { AccountId } from '@portico/contract/accounts'
import { withoutRepeated } from '@portico/contract/email-address'
import { readEmailList } from '@portico/contract/email-list'
import type { EmailNotification } from '@portico/contract/notifications'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import {
  isPortalAddress,
  mostToStranger,
  reserveMails,
  reserveRecipients,
  senderState,
  type SenderSettings,
  shownAuthor,
} from '#senders'
import type { Actor } from '#platform/actor.ts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { type Attachment, type Mail, portalSender } from '#platform/mail.ts'
import { cleanHtml } from './clean-html.ts'
import { DeliveryFailed } from './delivery-failed.ts'
import type { PreparedEmail } from './delivery-secrets.ts'
import { fillHtml, fillText, type PlaceholderValues } from './placeholders.ts'

const plainText = '{{name}} is ready: {{records}} records, {{size}}.\n\n{{url}}\n\nThe link expires on {{expires}}.\n'

export type EmailDeps = {
  db: Db
  mail: Mail
  jobs: Jobs
  config: SenderSettings & Pick<Config, 'mailDailyLimit'>
}

/** An email that was sent, for the delivery log (`result`) and the audit log. */
export type SentEmail = { result: string; from: string; to: string[]; subject: string }

/** A notification as an email, with its placeholders filled in. */
export function filledEmail(settings: z.output<typeof EmailNotification>, values: PlaceholderValues): AuthoredEmail {
  return {
    from: { name: settings.fromName, address: settings.from },
    to: readEmailList(settings.to),
    subject: fillText(settings.subject, values),
    html: fillHtml(settings.htmlBody, values),
    text: fillText(settings.textBody.trim() === '' ? plainText : settings.textBody, values),
  }
}

/** Written by a user if it has an author (`from`), otherwise by the portal. */
type AuthoredEmail = Omit<PreparedEmail, 'type' | 'attaches'>

/**
 * Sends an email on behalf of an account. `id` is the same for every attempt, so mail programs recognize duplicates.
 * @throws DeliveryFailed for a removed sender, and once the daily number of the account or of all recipients is reached
 */
export async function sendEmail(
  { db, mail, jobs, config }: EmailDeps,
  account: AccountId,
  id: string,
  { from: author, to: recipients, subject, text, html }: AuthoredEmail,
  attachment: Attachment | null = null,
): Promise<SentEmail> {
  const state = author ? await senderState(db, config, account, author.address) : null
  if (author) requireNotEnded(author.address, state)
  const isReplaced = author && state !== 'verified'
  const from = author && (await shownAuthor(db, config, account, isReplaced ? null : author))
  const sender = from?.address ?? portalSender(config).address
  const counted = await countRecipients({ db, jobs, config }, account, withoutRepeated(recipients), sender)
  const { to } = counted
  const message = { id, to, subject, text, html: author ? await cleanHtml(html) : html }
  const sending = mail.send({ ...message, ...(from && { from }), ...(attachment && { attachment }) })
  const { refused } = await sending.catch(async (error: unknown) => {
    await counted.release()
    throw error
  })
  const note = isReplaced
    ? ` Sent from the portal's own address, because ${author.address} is not a verified sender of this account.`
    : ''
  return { result: sentTo(to.length, refused) + counted.note + note, from: sender, to, subject }
}

function requireNotEnded(address: string, state: Awaited<ReturnType<typeof senderState>> | null): void {
  if (state === 'removed') {
    throw new DeliveryFailed(`Not sent: ${address} was removed from the verified senders of this account.`, true)
  }
  if (state === 'lost') {
    const reason = `the API credential that requested ${address} as a sender no longer works. Request it again.`
    throw new DeliveryFailed(`Not sent: ${reason}`, true)
  }
}

/**
 * Counts the recipients before the email is sent. Leaves out unknown recipients who have reached today's limit of
 * emails from the portal's own address; `note` names them.
 */
async function countRecipients(
  { db, jobs, config }: Pick<EmailDeps, 'db' | 'jobs' | 'config'>,
  account: AccountId,
  recipients: string[],
  sender: string,
): Promise<{ to: string[]; note: string; release: () => Promise<void> }> {
  const isPortals = isPortalAddress(config, sender)
  const left = isPortals ? await reserveRecipients(db, account, recipients) : null
  const to = left?.to ?? recipients
  const without = recipients.filter((recipient) => !to.includes(recipient))
  const reason = `${without.join(', ')} got ${mostToStranger} emails today, the most for an address of no person here.`
  if (to.length === 0) throw new DeliveryFailed(`Not sent: ${reason} Resend it tomorrow.`, true)
  const counted = await reserveMails({ db, jobs, limit: config.mailDailyLimit }, account, to.length)
  if (!counted) {
    await left?.release()
    const limit = config.mailDailyLimit.toLocaleString('en-US')
    throw new DeliveryFailed(`Not sent: the account has reached its ${limit} emails a day. Resend it tomorrow.`, true)
  }
  return {
    to,
    note: without.length > 0 ? ` Not sent to all: ${reason}` : '',
    release: async () => {
      await counted.release()
      await left?.release()
    },
  }
}

/** Records an email sent on behalf of an account in the audit log. */
export async function recordEmail(
  db: Db,
  account: AccountId,
  by: Actor,
  { from, to, subject }: SentEmail,
): Promise<void> {
  await recordAudit(db, { account, ...by, action: 'email sent', subject, details: { from, to } })
}

function sentTo(count: number, refused: string[]): string {
  const sent = count - refused.length
  const accepted = `Accepted by the mail server for ${sent} ${sent === 1 ? 'address' : 'addresses'}.`
  return refused.length === 0 ? accepted : `${accepted} Rejected: ${refused.join(', ')}.`
}
