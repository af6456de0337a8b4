import { type PlaceRow, selectInvitations, selectPlaces } from '#access'
import type { LinkKind } from '../tables.ts'
import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { type Mail, MailRefused, type Message } from '#platform/mail.ts'
import { accountInvitationEmail, type Installation, invitationEmail, passwordEmail } from '../emails/emails.ts'
import { sendInvitationJob } from './person-links.jobs.ts'
import { deleteUnusedPersonLinks, insertPersonLink, type PersonLink, selectPersonLink } from './person-links.queries.ts'
import { type Person, selectPerson, selectPersonById } from '#persons'
import { hashOfSecret, newSecret } from './secret-links.ts'

export type EmailDeps = { database: Database; mail: Mail; config: Installation; log: Logger }

const lifetimeMs = { invitation: 7 * 24 * 3_600_000, 'password reset': 3_600_000 } satisfies Record<LinkKind, number>

/**
 * Enqueues the invitation of a person to a new identity, within the transaction `tx`. `account` is null for a global
 * one.
 */
export async function enqueueInvitation(
  tx: Db,
  jobs: Jobs,
  invitation: { personId: string; account: AccountId | null },
): Promise<void> {
  await jobs.enqueue(tx, sendInvitationJob, invitation)
}

/**
 * Sends the invitation: a link to choose a password or, for a person who has one, a link to the portal, where they
 * accept. When run again after a crash, it sends a new link, which replaces the previous one for the same identity.
 */
export async function sendInvitation(
  deps: EmailDeps,
  { personId, account }: { personId: string; account: AccountId | null },
): Promise<void> {
  const { db } = deps.database
  const person = await selectPersonById(db, personId)
  const invited = person && (await selectInvited(db, person)).find((row) => row.account === account)
  // The identity was deleted, handed over or accepted in the meantime.
  if (!person || !invited) return
  const place = { account: invited.name, by: invited.invitedBy }
  if (person.passwordHash) return deliver(deps, accountInvitationEmail(person.email, deps.config, place))
  const secret = await makeLink(db, person.id, 'invitation', invited.id)
  await deliver(deps, invitationEmail(person.email, deps.config, place, secret))
}

/** The identities that a person still has to accept. If they have no password, also those accepted on their behalf. */
async function selectInvited(db: Db, { id, passwordHash }: Person): Promise<PlaceRow[]> {
  const pending = await selectInvitations(db, id)
  return passwordHash === null ? [...pending, ...(await selectPlaces(db, id))] : pending
}

/**
 * Sends a password reset link if the email is known. A person who was invited and has no password yet gets their
 * invitations again. When run again after a crash, it sends a new link, which replaces the previous one.
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

async function inviteAgain(deps: EmailDeps, person: Person): Promise<void> {
  const invited = await selectInvited(deps.database.db, person)
  for (const { account } of invited) await sendInvitation(deps, { personId: person.id, account })
}

/**
 * Returns the secret of the new link, which is not stored. Replaces the person's previous link of the same kind, for
 * the same identity.
 */
export async function makeLink(
  db: Db,
  personId: string,
  kind: LinkKind,
  identityId: string | null = null,
): Promise<string> {
  const secret = newSecret()
  const at = new Date()
  await inTransaction(db, async (tx) => {
    await deleteUnusedPersonLinks(tx, personId, { kind, identityId })
    const expiresAt = new Date(at.getTime() + lifetimeMs[kind])
    await insertPersonLink(tx, { personId, kind, secretHash: hashOfSecret(secret), at, expiresAt, identityId })
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
