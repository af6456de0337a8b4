import { selectPlaces } from '#access'
import type { LinkKind } from '../tables.ts'
import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { type Mail, MailRefused, type Message } from '#platform/mail.ts'
import { selectAccount } from '#accounts'
import { type Installation, invitationEmail, newAccountEmail, passwordEmail } from '../emails/emails.ts'
import { sendInvitationJob } from './person-links.jobs.ts'
import { deleteUnusedPersonLinks, insertPersonLink, type PersonLink, selectPersonLink } from './person-links.queries.ts'
import { type Person, selectPerson, selectPersonById } from '#persons'
import { hashOfSecret, newSecret } from './secret-links.ts'

export type EmailDeps = { database: Database; mail: Mail; config: Installation; log: Logger }

const lifetimeMs = { invitation: 7 * 24 * 3_600_000, 'password reset': 3_600_000 } satisfies Record<LinkKind, number>

/**
 * Enqueues the invitation of a person with a new identity, within the transaction `tx`. A person who already has a
 * password gets a short notice instead. `account` is null for a global identity; `by` is the inviter: an email, or a part
 * of the portal.
 */
export async function enqueueInvitation(
  tx: Db,
  jobs: Jobs,
  invitation: { personId: string; account: AccountId | null; by: string },
): Promise<void> {
  await jobs.enqueue(tx, sendInvitationJob, invitation)
}

/**
 * Sends the invitation. When run again after a crash, it sends a new link, which replaces the previous one.
 */
export async function sendInvitation(
  deps: EmailDeps,
  { personId, account, by }: { personId: string; account: AccountId | null; by: string },
): Promise<void> {
  const { db } = deps.database
  const person = await selectPersonById(db, personId)
  const name = account === null ? null : (await selectAccount(db, account))?.name
  // The person or the account was deleted in the meantime.
  if (!person || name === undefined) return
  const place = { account: name, by: by.includes('@') ? by : null }
  if (person.passwordHash) return deliver(deps, newAccountEmail(person.email, deps.config, place))
  const secret = await makeLink(db, person.id, 'invitation', place.by)
  await deliver(deps, invitationEmail(person.email, deps.config, place, secret))
}

/**
 * Sends a password reset link if the email is known. A person who was invited and has no password yet gets another
 * invitation. When run again after a crash, it sends a new link, which replaces the previous one.
 */
export async function sendPasswordLink(
  deps: EmailDeps,
  { email, address }: { email: string; address: string },
): Promise<void> {
  const { db } = deps.database
  const person = await selectPerson(db, email)
  if (!person) return
  if (!person.passwordHash) return inviteAgain(deps, person)
  const secret = await makeLink(db, person.id, 'password reset')
  await deliver(deps, passwordEmail(person.email, deps.config, address, secret))
}

async function inviteAgain(deps: EmailDeps, { id: personId }: Person): Promise<void> {
  const [place] = await selectPlaces(deps.database.db, personId)
  if (place) await sendInvitation(deps, { personId, account: place.account, by: 'portico' })
}

/** Returns the secret of the new link, which is not stored. Replaces the person's previous link of the same kind. */
export async function makeLink(
  db: Database['db'],
  personId: string,
  kind: LinkKind,
  invitedBy: string | null = null,
): Promise<string> {
  const secret = newSecret()
  const at = new Date()
  await db.transaction().execute(async (tx) => {
    await deleteUnusedPersonLinks(tx, personId, kind)
    const expiresAt = new Date(at.getTime() + lifetimeMs[kind])
    await insertPersonLink(tx, { personId, kind, secretHash: hashOfSecret(secret), at, expiresAt, invitedBy })
  })
  return secret
}

/** Throws `link_invalid` for a link that was used or replaced, has expired or never existed. */
export async function requireLink(db: Db, kind: LinkKind, secret: string): Promise<PersonLink> {
  const link = await selectPersonLink(db, kind, hashOfSecret(secret), new Date())
  if (!link) throw new AppError('link_invalid')
  return link
}

/** Sends a message. One that the recipient's server permanently rejects is logged without its content and dropped. */
export async function deliver({ mail, log }: Pick<EmailDeps, 'mail' | 'log'>, message: Message): Promise<void> {
  try {
    await mail.send(message)
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
    log.warn({ reason: error.message, subject: message.subject }, 'message refused')
  }
}
