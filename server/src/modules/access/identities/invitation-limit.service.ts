import { countAuditedSince } from '#audit'
import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'

const hourMs = 3_600_000
/**
 * Invitations to one person within an hour, and by an account within a day: more than a large team that starts on one
 * day.
 */
const allowed = { ofPerson: 5, ofAccount: 200 }

/**
 * Keeps administrators from flooding a mailbox, or the mailboxes of many strangers: an account (null: the power admins)
 * invites one person at most 5 times an hour, and sends at most 200 invitations a day. New identities, handovers and
 * repeated invitations all count; each has an entry in the audit log. The caller must hold the access lock.
 * @throws too_many_requests
 */
export async function requireInvitationLeft(tx: Db, account: AccountId | null, email: string): Promise<void> {
  const ofPerson = await countInvited(tx, account, email, hourMs)
  if (ofPerson >= allowed.ofPerson) {
    const message = `${email} was invited ${allowed.ofPerson} times within an hour. Try again later.`
    throw new AppError('too_many_requests', undefined, message, { retryAfter: hourMs / 1000 })
  }
  const ofAccount = await countInvited(tx, account, null, 24 * hourMs)
  if (ofAccount >= allowed.ofAccount) {
    const message = `At most ${allowed.ofAccount} invitations are sent within 24 hours. Try again tomorrow.`
    throw new AppError('too_many_requests', undefined, message, { retryAfter: (24 * hourMs) / 1000 })
  }
}

const countInvited = (tx: Db, account: AccountId | null, subject: string | null, withinMs: number): Promise<number> =>
  countAuditedSince(tx, account, {
    subject,
    actions: ['identity created', 'identity invited'],
    changed: { action: 'identity changed', field: 'email' },
    since: new Date(Date.now() - withinMs),
  })
