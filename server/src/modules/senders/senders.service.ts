import type { AccountId } from '@portico/contract/accounts'
import { callerKey } from '@portico/contract/email-address'
import {
  isVerifiedSender,
  type Sender,
  senderLinkDays,
  type Senders,
  unverifiedSender,
} from '@portico/contract/senders'
import { messages } from '@portico/contract/messages'
import { readHolder } from '#access'
import { countAuditedSince, recordAudit } from '#audit'
import { requireAccount, requireAccountDetails } from '#accounts'
import { hashOfSecret, newSecret } from '#sign-in'
import type { Actor } from '#platform/actor.ts'
import { requireRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { type Mail, MailRefused, portalSender } from '#platform/mail.ts'
import { authorProblem, isPortalAddress } from './sender-names.ts'
import { countMails } from './mail-counts.queries.ts'
import { senderEmail } from './sender-email.ts'
import { sendSenderLinkJob } from './senders.jobs.ts'
import {
  deleteUnverified,
  type SenderRow,
  selectByLink,
  selectSender,
  selectSenders,
  updateLink,
  updateRemoved,
  updateVerified,
  upsertRequested,
  withSendersLocked,
} from './senders.queries.ts'
import { isUuid } from '#platform/ids.ts'

/** Settings that decide who may send. */
export type SenderSettings = Pick<Config, 'mailSenderDomains' | 'mailFrom' | 'company' | 'product' | 'publicUrl'>

// Enough for a team that sets up its senders; strangers get few emails they did not ask for.
const verificationsPerDay = 20
const requestPauseMs = 60_000

export async function listSenders(db: Db, config: SenderSettings, account: AccountId): Promise<Senders> {
  return {
    senders: (await selectSenders(db, account)).map(toSender),
    domains: config.mailSenderDomains,
    ownAddress: portalSender(config).address,
  }
}

/**
 * Whether an account may send from an address now. `removed`: a verified sender that was removed on purpose. `lost`:
 * the API credential that requested it no longer works. `unknown`: it was never a sender, as in notifications saved
 * before senders had to be verified.
 */
export async function senderState(
  db: Db,
  config: SenderSettings,
  account: AccountId,
  address: string,
): Promise<'verified' | 'removed' | 'lost' | 'unknown'> {
  const row = await selectSender(db, account, callerKey(address))
  const known = row && !row.removed_at ? [toSender(row)] : []
  const own = { senders: known, domains: config.mailSenderDomains, ownAddress: portalSender(config).address }
  if (isVerifiedSender(address, own)) return 'verified'
  if (row?.verified_at && !row.is_held) return 'lost'
  return row?.removed_at ? 'removed' : 'unknown'
}

/**
 * @throws invalid_input at `field.from` for an address that the account may not send from; at `field.fromName` for a
 * name with which it could pass for others (`authorProblem`)
 */
export async function requireSender(
  db: Db,
  config: SenderSettings,
  account: AccountId,
  { from, fromName, field }: { from: string; fromName: string; field: string },
): Promise<void> {
  if ((await senderState(db, config, account, from)) !== 'verified') {
    throw invalidField(`${field}.from`, unverifiedSender(from))
  }
  // Its name is not shown (`shownAuthor`).
  if (isPortalAddress(config, from)) return
  const problem = await authorProblem(db, config, account, { name: fromName, address: from })
  if (problem !== null) throw invalidField(`${field}.fromName`, problem)
}

/** Seconds until the next day in UTC, by which emails are counted. */
const secondsToMidnight = (at: Date): number => 86_400 - (Math.floor(at.getTime() / 1000) % 86_400)

/**
 * Requests an address as a sender: its mailbox gets a link that confirms it.
 * @throws name_taken if it is already verified; limit_reached; too_many_requests
 */
export async function requestSender(
  { db, jobs }: { db: Db; jobs: Jobs },
  account: AccountId,
  { by, inviter, holder }: { by: Actor; inviter: string; holder: string },
  address: string,
): Promise<Sender> {
  return withSendersLocked(db, account, async (tx) => {
    const [at, before] = [new Date(), await selectSender(tx, account, address)]
    if (!before?.verified_at && (await wasMailedJustNow(tx, account, before, { address, at }))) {
      const message = 'A mail was sent to this address a moment ago. Wait a minute.'
      throw new AppError('too_many_requests', undefined, message, { retryAfter: requestPauseMs / 1000 })
    }
    const listed = await selectSenders(tx, account)
    const isListed = listed.some(({ id }) => id === before?.id)
    if (!isListed) requireRoom('senders', listed.length)
    const row = await upsertRequested(tx, account, {
      address,
      requestedBy: inviter,
      at,
      credential: credentialOf(holder),
    })
    if (!row) throw new AppError('name_taken', [{ field: 'address', message: messages.duplicate }])
    const day = { kind: 'verification' as const, day: at.toISOString().slice(0, 10) }
    if (!(await countMails(tx, account, day, 1, verificationsPerDay))) {
      const message = `At most ${verificationsPerDay} of these mails are sent in a day. Try again tomorrow.`
      throw new AppError('too_many_requests', undefined, message, { retryAfter: secondsToMidnight(at) })
    }
    await jobs.enqueue(tx, sendSenderLinkJob, { account, senderId: row.id })
    await recordAudit(tx, { ...by, account, action: 'sender requested', subject: address })
    return toSender(row)
  })
}

/**
 * Includes requests whose sender has been removed since: its row may no longer exist, but its line in the audit log
 * does.
 */
async function wasMailedJustNow(
  tx: Db,
  account: AccountId,
  row: SenderRow | null,
  { address, at }: { address: string; at: Date },
): Promise<boolean> {
  const since = new Date(at.getTime() - requestPauseMs)
  if (row) return row.requested_at > since
  const wanted = { subject: address, actions: ['sender requested'], since }
  return (await countAuditedSince(tx, account, wanted)) > 0
}

/** @throws not_found */
export async function removeSender(db: Db, account: AccountId, by: Actor, id: string): Promise<void> {
  const isId = isUuid(id)
  await inTransaction(db, async (tx) => {
    if (!isId) throw new AppError('not_found')
    const address = (await deleteUnverified(tx, account, id)) ?? (await updateRemoved(tx, account, id, new Date()))
    if (address === null) throw new AppError('not_found')
    await recordAudit(tx, { ...by, account, action: 'sender removed', subject: address })
  })
}

type MailDeps = { database: { db: Db }; mail: Mail; log: Logger; config: SenderSettings }

/**
 * Sends the email that verifies a sender. When run again after a crash, it sends another link, which replaces the
 * previous one.
 */
export async function sendSenderLink(
  { database: { db }, mail, log, config }: MailDeps,
  { account, senderId }: { account: AccountId; senderId: string },
): Promise<void> {
  const secret = newSecret()
  const expiresAt = new Date(Date.now() + senderLinkDays * 86_400_000)
  const row = await updateLink(db, account, senderId, { secretHash: hashOfSecret(secret), expiresAt })
  if (!row) return
  const { name } = await requireAccount(db, account)
  try {
    await mail.send(senderEmail(config, { address: row.address, account: name, by: row.requested_by }, secret))
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
    log.warn({ reason: error.message, account }, 'message to a sender refused')
  }
}

/**
 * The address and account of a link, for the mailbox's owner to check.
 * @throws link_invalid
 */
export async function readSenderLink(db: Db, link: string) {
  const row = await requireLink(db, link)
  const { name } = await requireAccount(db, row.account_id)
  return { address: row.address, account: name, requestedBy: row.requested_by }
}

/**
 * Verifies the sender of a link, which works once. `address` is the request's address.
 * @throws link_invalid
 */
export async function confirmSender(db: Db, link: string, address: string) {
  return inTransaction(db, async (tx) => {
    const row = await requireLink(tx, link)
    const isVerified = await updateVerified(tx, row.account_id, hashOfSecret(link), new Date())
    if (!isVerified) throw new AppError('link_invalid')
    const by = { actor: row.address, address, via: { kind: 'email-link' as const } }
    await recordAudit(tx, { ...by, account: row.account_id, action: 'sender verified', subject: row.address })
    const { name } = await requireAccount(tx, row.account_id)
    return { address: row.address, account: name }
  })
}

/** Finds the sender of a link; the links of a suspended account no longer work. */
async function requireLink(db: Db, link: string): Promise<SenderRow> {
  const row = await selectByLink(db, hashOfSecret(link), new Date())
  if (!row || (await requireAccountDetails(db, row.account_id)).suspendedAt) throw new AppError('link_invalid')
  return row
}

/** The API credential that a caller uses; null for people. */
function credentialOf(text: string): string | null {
  const holder = readHolder(text)
  return holder.kind === 'credential' ? holder.credential : null
}

function toSender(row: SenderRow): Sender {
  return {
    _id: row.id,
    address: row.address,
    state: row.verified_at && row.is_held ? 'verified' : 'waiting',
    requestedBy: row.requested_by,
    requestedAt: row.requested_at.toISOString(),
    verifiedAt: row.is_held ? (row.verified_at?.toISOString() ?? null) : null,
  }
}
