import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { accessOf, sessionClaims, toUser, accountsOf } from '#access'
import { deviceKey } from './sessions/device.ts'
import { insertKnownDevice, selectHasKnownDevices } from './sessions/known-devices.queries.ts'
import { attempt, forgetFailures } from './lockout/lockout.service.ts'
import { enqueueSecurityEmail } from './emails/security-emails.service.ts'
import { isPasswordOf } from './passwords/passwords.ts'
import { makeLink } from './person-links/person-links.service.ts'
import { lockPersonDetails, type PersonDetails, selectPerson, selectPersonById, updateLastSignIn } from '#persons'
import { beginSecondStep, personOfStep, requireSecondCode, takeSecondStep } from './two-factor/second-step.service.ts'
import { startSession } from './sessions/sessions.service.ts'
import { recordingFailure, signInFacts } from './sign-in-audit.ts'
import type { Origin, SignInDeps } from './sign-in-deps.ts'

export type SignedIn = { isTwoFactor: false; token: string; user: User; accounts: AccountEntry[] }
type CodeRequired = { isTwoFactor: true; token: string }

/**
 * Checks email and password, and starts a session that has no account yet; with two-factor on, it returns the token of
 * the second step instead.
 * @throws wrong_credentials if either is wrong; too_many_attempts, password_temporary, no_account, outside_limits
 */
export async function signIn(
  deps: SignInDeps,
  { email, password }: { email: string; password: string },
  from: Origin,
): Promise<SignedIn | CodeRequired> {
  return recordingFailure(
    deps,
    () => email,
    from,
    () => signInByPassword(deps, { email, password }, from),
  )
}

async function signInByPassword(
  deps: SignInDeps,
  { email, password }: { email: string; password: string },
  from: Origin,
): Promise<SignedIn | CodeRequired> {
  const { db } = deps.database
  const verified = await attempt({ db, jobs: deps.jobs }, { email, ...from }, async () => {
    const candidate = await selectPerson(db, email)
    const isRight = await isPasswordOf(candidate?.passwordHash ?? null, password)
    return isRight ? candidate : null
  })
  const person = verified && (await selectPersonById(db, verified.id))
  if (!person) throw new AppError('wrong_credentials')
  const known = { ...person, passwordHash: verified.passwordHash }
  // Failures are not cleared yet: otherwise a stolen password would allow unlimited guesses of codes.
  if (known.twoFactorSince) {
    const token = await inTransaction(db, async (tx) => {
      await lockAsKnown(tx, known)
      return beginSecondStep(tx, known.id)
    })
    return { isTwoFactor: true, token }
  }
  await requireChosenPassword(deps, known, (tx) => lockAsKnown(tx, known))
  return { isTwoFactor: false, ...(await completeSignIn(deps, known, from, (tx) => lockAsKnown(tx, known))) }
}

/**
 * Locks a person who has given their correct password, or password and code. Checking takes a while and may wait in a
 * queue: throws `wrong_credentials` if the password has been replaced, or two-factor turned on or off, in the meantime.
 */
async function lockAsKnown(tx: Db, known: PersonDetails): Promise<void> {
  requireAsKnown(await lockPersonDetails(tx, known.id), known)
}

function requireAsKnown(now: PersonDetails | null, known: PersonDetails): void {
  const isSame =
    now?.passwordHash === known.passwordHash && now?.twoFactorSince?.getTime() === known.twoFactorSince?.getTime()
  if (!isSame) throw new AppError('wrong_credentials')
}

/**
 * Completes the second step with a code and the token of the first. Throws `wrong_credentials` with the step to
 * continue with, and `password_temporary`.
 */
export async function signInWithCode(
  deps: SignInDeps,
  { token, code }: { token: string; code: string },
  from: Origin,
): Promise<SignedIn> {
  const person = await personOfStep(deps.database.db, token)
  return recordingFailure(
    deps,
    () => person.email,
    from,
    async () => {
      await requireSecondCode(deps, person, { token, code }, from)
      const take = async (tx: Db): Promise<void> => {
        const now = await lockPersonDetails(tx, person.id)
        await takeSecondStep(tx, token)
        requireAsKnown(now, person)
      }
      await requireChosenPassword(deps, person, take)
      return { isTwoFactor: false, ...(await completeSignIn(deps, person, from, take)) }
    },
  )
}

/**
 * Refuses a generated password, with a link to choose another one. `lock` runs in the transaction that creates the
 * link.
 */
export async function requireChosenPassword(
  { database: { db } }: SignInDeps,
  person: PersonDetails,
  lock: (tx: Db) => Promise<void>,
): Promise<void> {
  if (!person.passwordIsTemporary) return
  const link = await inTransaction(db, async (tx) => {
    await lock(tx)
    return makeLink(tx, person.id, 'password reset')
  })
  throw new AppError('password_temporary', { link })
}

/**
 * Starts the session of an authenticated person; `prepare` locks them in the same transaction. `passkey`: what they have
 * signed in with instead of a password.
 */
export async function completeSignIn(
  { database: { db, pool }, jobs, tokens }: SignInDeps,
  person: { id: string; email: string; passkey?: { id: string; name: string } },
  from: Origin,
  prepare: (tx: Db) => Promise<void>,
): Promise<Omit<SignedIn, 'isTwoFactor'>> {
  const { session, accounts } = await inTransaction(db, async (tx) => {
    await prepare(tx)
    // After `prepare`, which may have accepted an invitation.
    const open = await accountsOf(tx, { personId: person.id }, from)
    await updateLastSignIn(tx, person.id, new Date())
    await recordDevice(tx, jobs, person.id, from)
    // A session belongs to no account; entering an account is recorded in that account's log.
    const { details, ...facts } = signInFacts(person.email, from)
    const { passkey } = person
    const means = { ...details, ...(passkey && { passkey: passkey.name }) }
    await recordAudit(tx, { ...facts, account: null, action: 'signed in', details: means })
    const holder = { personId: person.id, passkeyId: passkey?.id ?? null }
    return { session: await startSession(tx, holder, from), accounts: open }
  })
  await forgetFailures(db, { email: person.email, address: from.address })
  // Read after `prepare`, which may have changed the name.
  const access = await accessOf(pool, null, person.id, from.address)
  if (!access) throw new AppError('no_account')
  const token = await tokens.sign(sessionClaims(access, session.id), session.expiresAt)
  return { token, user: toUser(access), accounts }
}

/** Notifies the person of a sign-in on a new device, unless it is their first. */
async function recordDevice(tx: Db, jobs: Jobs, personId: string, from: Origin): Promise<void> {
  const hasOthers = await selectHasKnownDevices(tx, personId)
  const isNew = await insertKnownDevice(tx, personId, deviceKey(from.device), new Date())
  if (isNew && hasOthers) await enqueueSecurityEmail(tx, jobs, { personId, notice: 'signed in on a new device', from })
}
