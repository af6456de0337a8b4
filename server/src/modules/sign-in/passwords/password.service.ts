import { callerKey } from '@portico/contract/email-address'
import { updateSessionsRevoked } from '../sessions/sessions.queries.ts'
import { AppError, invalidField, sessionEnded } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { limitedNetwork } from '#platform/limited-network.ts'
import type { Caller } from '#platform/http/context.ts'
import { forgetFailures } from '../lockout/lockout.service.ts'
import { enqueueSecurityEmail } from '../emails/security-emails.service.ts'
import { lockOwnPassword, requireOwnPassword } from './own-password.service.ts'
import { requireGoodPassword } from './password-rules.ts'
import { deletePasswordRequests, insertPasswordRequest, selectPasswordRequests } from './password-requests.queries.ts'
import { hashPassword, isPasswordOf } from './passwords.ts'
import { recordForPerson } from '#access'
import { revokeLinksOf } from '#credentials'
import { sendPasswordLinkJob } from '../person-links/person-links.jobs.ts'
import { deleteUnusedPersonLinks, updatePersonLinkUsed } from '../person-links/person-links.queries.ts'
import { requireLink } from '../person-links/person-links.service.ts'
import { lockPersonDetails, type PersonDetails, selectPersonById, updatePasswordHash } from '#persons'
import { removePasskeys } from '../passkeys/passkey-loss.service.ts'
import { deleteSecondSteps } from '../two-factor/second-steps.queries.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'

type Deps = Pick<SignInDeps, 'database' | 'jobs' | 'config'>

const anotherPassword = 'Choose a password that differs from your current one.'
const requestWindowMs = 3_600_000
const allowedRequests = { ofEmail: 5, ofAddress: 20 }

/**
 * Enqueues an email with a password reset link. The email address is looked up in the job, so neither the response nor
 * its timing reveals whether it is known. Throws `too_many_requests`.
 */
export async function forgotPassword(
  { database: { db }, jobs }: Deps,
  { email }: { email: string },
  { address }: Origin,
): Promise<null> {
  const id = crypto.randomUUID()
  const now = new Date()
  const before = new Date(now.getTime() - requestWindowMs)
  // Recorded before it is counted, so concurrent requests cannot bypass the limit.
  const request = { key: callerKey(email), address: limitedNetwork(address) }
  await insertPasswordRequest(db, id, request, now)
  const { ofEmail, ofAddress } = await selectPasswordRequests(db, request, before)
  if (ofEmail > allowedRequests.ofEmail || ofAddress > allowedRequests.ofAddress) {
    await deletePasswordRequests(db, { id, before })
    const message = 'Too many password emails were requested. Try again in an hour.'
    throw new AppError('too_many_requests', undefined, message, { retryAfter: requestWindowMs / 1000 })
  }
  await deletePasswordRequests(db, { before })
  await jobs.enqueue(db, sendPasswordLinkJob, { email, address })
  return null
}

/** Returns the person whose password the link resets. The link remains usable. Throws `link_invalid`. */
export async function readPasswordReset(db: Db, secret: string): Promise<{ email: string; userName: string | null }> {
  const { email, userName } = await requireResetLink(db, secret)
  return { email, userName }
}

async function requireResetLink(db: Db, secret: string): Promise<PersonDetails & { linkId: string }> {
  const link = await requireLink(db, 'password reset', secret)
  const person = await selectPersonById(db, link.personId)
  if (!person) throw new AppError('link_invalid')
  return { ...person, linkId: link.id }
}

/**
 * Sets a new password by a link, removes all passkeys, and ends all sessions and impersonation links. Throws
 * `link_invalid`.
 */
export async function resetPassword(
  deps: Deps,
  { link: secret, password }: { link: string; password: string },
  from: Origin,
): Promise<{ email: string }> {
  const { db } = deps.database
  const person = await requireResetLink(db, secret)
  if (person.passwordIsTemporary && (await isPasswordOf(person.passwordHash, password))) {
    throw invalidField('password', anotherPassword)
  }
  await requireGoodPassword('password', password, person, deps.config)
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    const now = await lockPersonDetails(tx, person.id)
    if (!now || !(await updatePersonLinkUsed(tx, person.linkId, new Date()))) throw new AppError('link_invalid')
    await setPassword(
      tx,
      deps,
      { person: now, passwordHash, except: null, action: 'password reset' },
      { ...from, caller: null },
    )
  })
  // The person may have been locked out by other people's guesses.
  await forgetFailures(db, { email: person.email, address: from.address })
  return { email: person.email }
}

/** Changes the caller's password, and ends their other sessions and their impersonation links. */
export async function changePassword(
  deps: Deps,
  { personId, email, sessionId }: Pick<Caller, 'personId' | 'email' | 'sessionId'>,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  from: Origin,
): Promise<null> {
  const { db } = deps.database
  const proof = { field: 'currentPassword', password: currentPassword }
  const own = await requireOwnPassword(deps, { personId, email, sessionId }, proof, from)
  const person = await selectPersonById(db, personId)
  if (!person) throw sessionEnded()
  if (newPassword === currentPassword) throw invalidField('newPassword', anotherPassword)
  await requireGoodPassword('newPassword', newPassword, person, deps.config)
  const passwordHash = await hashPassword(newPassword)
  await inTransaction(db, async (tx) => {
    const now = await lockOwnPassword(tx, own)
    await setPassword(tx, deps, { person: now, passwordHash, except: sessionId, action: 'password changed' }, from)
  })
  return null
}

/** The caller must have locked `person`. `except`: the session that continues. */
async function setPassword(
  tx: Db,
  { jobs }: Deps,
  change: { person: PersonDetails; passwordHash: string; except: string | null; action: string },
  from: Origin,
): Promise<void> {
  const { person, passwordHash, except, action } = change
  const now = new Date()
  await updatePasswordHash(tx, person.id, passwordHash, { at: now })
  const endedSessions = await updateSessionsRevoked(tx, person.id, except, now)
  await revokeLinksOf(tx, null, person.id)
  await deleteSecondSteps(tx, person.id)
  const by = { actor: person.email, address: from.address, via: from.caller?.via ?? { kind: 'email-link' as const } }
  // A reset is for those who have lost control. A change is by someone who has proved to be in control, and sees them.
  const passkeys = except === null ? await removePasskeys(tx, person, by) : 0
  // A link in the mailbox stays valid when the password is changed in a session; otherwise an intruder with the
  // password could keep its owner from resetting it. But when a generated password is replaced, the link may have gone
  // to an intruder who knew that password.
  if (except === null || person.passwordIsTemporary) {
    await deleteUnusedPersonLinks(tx, person.id, { kind: 'password reset', identityId: null })
  }
  await recordForPerson(tx, person.id, { ...by, action, subject: person.email, details: { endedSessions } })
  const notice = passkeys > 0 ? 'password reset, passkeys removed' : 'password changed'
  await enqueueSecurityEmail(tx, jobs, { personId: person.id, notice, from })
}
