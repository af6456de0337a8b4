import { countAuditedSince } from '#audit'
import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'

const windowMs = 3_600_000
const allowed = 5

/**
 * Keeps administrators from flooding a mailbox: an account (null: the power admins) invites a person at most 5 times an
 * hour, be it by new identities, by handing them over or again. The audit log has a line for each. The caller must hold the
 * lock.
 * @throws too_many_requests
 */
export async function requireInvitationLeft(tx: Db, account: AccountId | null, email: string): Promise<void> {
  const invited = await countAuditedSince(tx, account, {
    subject: email,
    actions: ['identity created', 'identity invited'],
    changed: { action: 'identity changed', field: 'email' },
    since: new Date(Date.now() - windowMs),
  })
  if (invited < allowed) return
  const message = `${email} was invited ${allowed} times within an hour. Try again later.`
  throw new AppError('too_many_requests', undefined, message, { retryAfter: windowMs / 1000 })
}
