import { withoutOuterSpace } from '@portico/domain/white-space'
import { callerKey } from '@portico/contract/email-address'
import { portal } from '#accounts'
import { recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import { type BoundedQueue, createBoundedQueue } from '#platform/bounded-queue.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { isKnownPlace } from './known-places.ts'
import {
  deleteLoginFailure,
  deleteLoginFailures,
  insertLoginFailure,
  type Pair,
  selectAddressFailures,
  selectEmailFailures,
  selectLoginFailures,
  updateLoginFailureJudged,
} from './login-failures.queries.ts'
import { recordForPerson } from '#access'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { limitedNetwork } from '#platform/limited-network.ts'
import { enqueueSecurityEmail } from '../emails/security-emails.service.ts'
import { hashOfSecret } from '../person-links/secret-links.ts'
import { selectSessionAddresses } from '../sessions/sessions.queries.ts'
import { selectPerson } from '#persons'

const allowedFailures = 10
const allowedFailuresOfAddress = 100
// Covers failures and attempts that several processes have in flight.
const mostReadOfAddress = 1000
const windowMs = 15 * 60_000
const lockMs = 15 * 60_000

// Guesses at one email from ever new addresses are slowed down, not locked: a lock would let strangers keep its owner
// out.
const allowedFailuresOfEmail = 100
const emailWindowMs = 24 * 3_600_000
const slowedMs = 60_000
const slowed = 'There were many failed attempts to sign in with this email. Try again in a minute.'

// More would only queue for the processors that check passwords, and take connections from other requests.
const mostAtOnce = 120
// The rest is reserved for people who have signed in from the same network before: strangers may have many networks.
const mostOfStrangers = 80
const mostInFlightOfNetwork = 8
// Attempts from one network, both those in flight and those waiting.
const mostOfNetwork = 120

type Deps = { db: Db; jobs: Jobs }

/** An attempt at a secret of `email`. `device` is the user agent. */
export type Guess = { email: string; address: string; device: string }

type Rules = {
  onLocked: (tx: Db) => Promise<void>
  /** Called when the failures from all addresses reach their limit. Null for secrets that have a lock of their own. */
  onSlowed: ((tx: Db) => Promise<void>) | null
  /** The address for the audit log. */
  address: string
  /**
   * Whether it comes from a network where the person has signed in before, if such places are recorded for the secret.
   */
  isKnown: () => Promise<boolean>
}

/**
 * Runs `judge`, an attempt at a secret of `guess.email`, which returns null when it failed.
 *
 * Attempts at one email run one at a time in a process, and each is recorded before it is checked: of any number of
 * concurrent attempts exactly ten are checked; with several processes never more, and at worst one fewer for each
 * further process. Of concurrent attempts from one network, for any emails, at most a hundred are checked: those in
 * flight count until they succeed. A process has eight attempts of a network in flight, one for each email, so a crowd
 * of people who sign in together is not refused. A place in the process is taken last, so no network or email holds
 * more of them; strangers from many networks together leave some for people who have signed in from theirs before.
 * @throws too_many_attempts when the pair of email and network, or the network, is locked, and for more than one
 * attempt a minute after 100 failures of the email in a day; its owner is notified, and may continue from addresses
 * they have signed in from
 */
export async function attempt<T>({ db, jobs }: Deps, guess: Guess, judge: () => Promise<T | null>): Promise<T | null> {
  return attemptOf(db, pairOf(guess), judge, {
    onLocked: (tx) => recordLock(tx, guess),
    onSlowed: (tx) => recordSlowed(tx, jobs, guess),
    address: guess.address,
    isKnown: () => isKnownPlace(db, pairOf(guess)),
  })
}

/** Uses the network as the address: one machine may have the whole /64 of its IPv6 address. */
const pairOf = ({ email, address }: Pick<Guess, 'email' | 'address'>): Pair => ({
  key: callerKey(withoutOuterSpace(email)),
  address: limitedNetwork(address),
})

/**
 * The same for a person's codes, counted over all addresses: a stolen password must not allow guesses from many of
 * them.
 */
export async function attemptAtCodes<T>(
  db: Db,
  person: { id: string; email: string },
  judge: () => Promise<T | null>,
): Promise<T | null> {
  const locked = { ...portal, action: 'two-factor locked', subject: person.email }
  const pair = codesOf(person)
  return attemptOf(db, pair, judge, {
    onLocked: (tx) => recordForPerson(tx, person.id, locked),
    onSlowed: null,
    address: pair.address,
    // Their password was correct.
    isKnown: () => Promise.resolve(true),
  })
}

/**
 * The same for a passkey, by which a person is found only in the attempt: counted by the id that its authenticator gave
 * it, whether the portal knows it or not, and by the network. `isKnown` as in the rules.
 */
export async function attemptWithPasskey<T>(
  db: Db,
  { credentialId, address }: { credentialId: string; address: string },
  isKnown: () => Promise<boolean>,
  judge: () => Promise<T | null>,
): Promise<T | null> {
  const locked = { ...portal, action: 'sign-in locked', account: null, subject: 'a passkey', address }
  const pair = { key: `passkey ${hashOfSecret(credentialId)}`, address: limitedNetwork(address) }
  const onLocked = (tx: Db): Promise<void> => recordAudit(tx, locked)
  return attemptOf(db, pair, judge, { onLocked, onSlowed: null, address, isKnown })
}

/** Throws too_many_attempts while a password of the email would not be checked from this address. */
export async function requireUnlocked(db: Db, guess: Pick<Guess, 'email' | 'address'>): Promise<void> {
  const pair = pairOf(guess)
  await refuseLocked(db, pair, await failuresBefore(db, crypto.randomUUID(), pair), true)
}

/** Whether the person has signed in from the address's network before. */
export async function hasSignedInFrom(db: Db, personId: string, address: string): Promise<boolean> {
  const network = limitedNetwork(address)
  return (await selectSessionAddresses(db, personId)).some((known) => limitedNetwork(known) === network)
}

// Replaces the address too, which keeps failures of several people from adding up.
const codesOf = ({ id }: { id: string }): Pair => ({ key: `codes of ${id}`, address: `codes of ${id}` })

const atOnce = { all: 0, strangers: 0 }

async function attemptOf<T>(db: Db, pair: Pair, judge: () => Promise<T | null>, rules: Rules): Promise<T | null> {
  const judged = () => amongAll(rules.isKnown, () => judgeAttempt(db, pair, judge, rules))
  return ofNetwork(pair.address, (inFlight) =>
    // Queues within its pair before it counts as in flight, or one email would hold all places of the network.
    inTurn(turnsOfPairs, JSON.stringify(pair), () => inFlight(() => inTurn(turnsOfKeys, pair.key, judged))),
  )
}

async function amongAll<T>(isKnown: () => Promise<boolean>, work: () => Promise<T>): Promise<T> {
  const isStranger = atOnce.strangers < mostOfStrangers
  if (!isStranger && !(await isKnown())) throw new AppError('too_many_requests')
  if (atOnce.all >= mostAtOnce) throw new AppError('too_many_requests')
  atOnce.all++
  if (isStranger) atOnce.strangers++
  try {
    return await work()
  } finally {
    atOnce.all--
    if (isStranger) atOnce.strangers--
  }
}

async function judgeAttempt<T>(db: Db, pair: Pair, judge: () => Promise<T | null>, rules: Rules): Promise<T | null> {
  const id = crypto.randomUUID()
  await insertLoginFailure(db, id, pair, new Date())
  let success: T | null
  let before: Failures
  try {
    before = await failuresBefore(db, id, pair)
    await refuseLocked(db, pair, before, rules.onSlowed !== null)
    success = await judge()
    if (success !== null) await deleteLoginFailure(db, id)
  } catch (error) {
    await deleteLoginFailure(db, id)
    throw error
  }
  if (success === null) await recordFailure(db, id, pair.address, before, rules)
  return success
}

async function refuseLocked(db: Db, pair: Pair, before: Failures, isSlowable: boolean): Promise<void> {
  if (isLocked(before.ofPair, allowedFailures) || isLocked(before.ofAddress, allowedFailuresOfAddress)) {
    throw new AppError('too_many_attempts', undefined, undefined, { retryAfter: lockMs / 1000 })
  }
  // Some of those in flight may succeed, which is known shortly.
  if (isLocked(before.triedOfAddress, allowedFailuresOfAddress)) throw new AppError('too_many_requests')
  if (isSlowable && isSlowed(before.ofEmail) && !(await isKnownNetwork(db, pair))) {
    throw new AppError('too_many_attempts', undefined, slowed, { retryAfter: slowedMs / 1000 })
  }
}

/** Clears the person's wrong codes after a correct one. */
export async function forgetWrongCodes(db: Db, person: { id: string }): Promise<void> {
  await deleteLoginFailures(db, codesOf(person), forgottenBefore())
}

/** Clears the failures of an email from a network after a successful sign-in. */
export async function forgetFailures(db: Db, guess: Pick<Guess, 'email' | 'address'>): Promise<void> {
  await deleteLoginFailures(db, pairOf(guess), forgottenBefore())
}

const forgottenBefore = (): Date => new Date(Date.now() - emailWindowMs)

/** Times of failures, latest first; `triedOfAddress` also includes attempts that are in flight. */
type Failures = { ofPair: Date[]; ofAddress: Date[]; triedOfAddress: Date[]; ofEmail: Date[] }

async function failuresBefore(db: Db, id: string, pair: Pair): Promise<Failures> {
  const since = new Date(Date.now() - windowMs - lockMs)
  const [ofPair, ofEmail, ofAddress] = await Promise.all([
    selectLoginFailures(db, id, pair, { since, limit: allowedFailures }),
    selectEmailFailures(db, id, pair.key, { since: forgottenBefore(), limit: allowedFailuresOfEmail }),
    selectAddressFailures(db, id, pair.address, { since, limit: mostReadOfAddress }),
  ])
  return { ofPair, ofEmail, ofAddress: ofAddress.failed, triedOfAddress: ofAddress.recorded }
}

function isSlowed(ofEmail: Date[]): boolean {
  const [latest] = ofEmail
  if (latest === undefined || ofEmail.length < allowedFailuresOfEmail) return false
  return Date.now() - latest.getTime() < slowedMs
}

/** Whether the owner of the email has signed in from the network before. */
async function isKnownNetwork(db: Db, { key, address }: Pair): Promise<boolean> {
  const person = await selectPerson(db, key)
  return person !== null && hasSignedInFrom(db, person.id, address)
}

/** Records the failure, and the lock or delay that it causes in the audit log. */
async function recordFailure(
  db: Db,
  id: string,
  network: string,
  { ofPair, ofAddress, ofEmail }: Failures,
  { onLocked, onSlowed, address }: Rules,
): Promise<void> {
  const at = new Date()
  await inTransaction(db, async (tx) => {
    await updateLoginFailureJudged(tx, id, at)
    if (isLocked([at, ...ofPair].slice(0, allowedFailures), allowedFailures)) await onLocked(tx)
    if (onSlowed && ofEmail.length === allowedFailuresOfEmail - 1) await onSlowed(tx)
    if (isLocked([at, ...ofAddress].slice(0, allowedFailuresOfAddress), allowedFailuresOfAddress)) {
      await recordAudit(tx, { ...portal, action: 'sign-in locked', account: null, subject: network, address })
    }
  })
}

/** Notifies the owner, who can act when others are guessing their password. */
async function recordSlowed(tx: Db, jobs: Jobs, { email, address, device }: Guess): Promise<void> {
  const person = await selectPerson(tx, email)
  const line = { ...portal, action: 'sign-in slowed down', address }
  if (!person) return recordAudit(tx, { ...line, account: null, subject: email.slice(0, 320) })
  await recordForPerson(tx, person.id, { ...line, subject: person.email })
  await enqueueSecurityEmail(tx, jobs, {
    personId: person.id,
    notice: 'password guessed at',
    from: { address, device },
  })
}

async function recordLock(tx: Db, { email, address }: Guess): Promise<void> {
  const locked = { ...portal, action: 'sign-in locked', address }
  const person = await selectPerson(tx, email)
  if (person) await recordForPerson(tx, person.id, { ...locked, subject: person.email })
  else await recordAudit(tx, { ...locked, account: null, subject: email.slice(0, 320) })
}

/** `failures`: latest first, at most `allowed` of them. */
function isLocked(failures: Date[], allowed: number): boolean {
  const latest = failures[0]?.getTime()
  const last = failures[allowed - 1]?.getTime()
  if (latest === undefined || last === undefined) return false
  return latest - last <= windowMs && Date.now() - latest < lockMs
}

const queues = new Map<string, { run: BoundedQueue; users: number }>()

async function ofNetwork<T>(network: string, work: (inFlight: BoundedQueue) => Promise<T>): Promise<T> {
  const queue = queues.get(network) ?? {
    run: createBoundedQueue({ atOnce: mostInFlightOfNetwork, waiting: mostOfNetwork }),
    users: 0,
  }
  if (queue.users >= mostOfNetwork) throw new AppError('too_many_requests')
  queues.set(network, queue)
  queue.users++
  try {
    return await work(queue.run)
  } finally {
    if (--queue.users === 0) queues.delete(network)
  }
}

type LastInTurn = Map<string, Promise<unknown>>
const turnsOfPairs: LastInTurn = new Map()
const turnsOfKeys: LastInTurn = new Map()

async function inTurn<T>(lastInTurn: LastInTurn, key: string, work: () => Promise<T>): Promise<T> {
  const before = lastInTurn.get(key) ?? Promise.resolve()
  // Runs whether the previous one succeeded or failed.
  const mine = before.then(work, work)
  lastInTurn.set(key, mine)
  try {
    return await mine
  } finally {
    if (lastInTurn.get(key) === mine) lastInTurn.delete(key)
  }
}
