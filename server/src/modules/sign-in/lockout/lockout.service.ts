import { recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction, inParallel } from '#platform/database.ts'
import {
  deleteLoginFailure,
  deleteLoginFailures,
  insertLoginFailure,
  type Pair,
  selectAddressFailures,
  selectLoginFailures,
  updateLoginFailureJudged,
} from './login-failures.queries.ts'
import { recordForPerson } from '#access'
import { selectPerson } from '#persons'

const allowedFailures = 10
const allowedFailuresOfAddress = 100
const windowMs = 15 * 60_000
const lockMs = 15 * 60_000

/**
 * Runs `judge`, an attempt at a secret of `pair.email`, which returns null when it failed. Throws `too_many_attempts` when
 * the pair of email and address, or the address, is locked.
 *
 * Attempts of one pair run one at a time in a process, and each is recorded before it is checked: of any number of
 * concurrent attempts exactly ten are checked; with several processes never more, and at worst one fewer for each further
 * process. The lock of an address counts failed attempts only, so attempts in flight may exceed its limit.
 */
export async function attempt<T>(db: Db, pair: Pair, judge: () => Promise<T | null>): Promise<T | null> {
  return attemptOf(db, pair, judge, (tx) => recordLock(tx, pair))
}

/** The same for a person's codes, from any address: a stolen password must not allow guesses from many addresses. */
export async function attemptAtCodes<T>(
  db: Db,
  person: { id: string; email: string },
  judge: () => Promise<T | null>,
): Promise<T | null> {
  const locked = { actor: 'portico', action: 'two-factor locked', subject: person.email, address: null }
  return attemptOf(db, codesOf(person), judge, (tx) => recordForPerson(tx, person.id, locked))
}

// Replaces the address too, so that failures of several people never add up.
const codesOf = ({ id }: { id: string }): Pair => ({ email: `codes of ${id}`, address: `codes of ${id}` })

async function attemptOf<T>(
  db: Db,
  pair: Pair,
  judge: () => Promise<T | null>,
  onLocked: (tx: Db) => Promise<void>,
): Promise<T | null> {
  return inTurn(`${pair.email.toLowerCase()} ${pair.address}`, async () => {
    const id = crypto.randomUUID()
    await insertLoginFailure(db, id, pair, new Date())
    let success: T | null
    let failures: Date[]
    let ofAddress: Date[]
    try {
      ;[failures, ofAddress] = await failuresBefore(db, id, pair)
      if (isLocked(failures, allowedFailures) || isLocked(ofAddress, allowedFailuresOfAddress)) {
        throw new AppError('too_many_attempts')
      }
      success = await judge()
      if (success !== null) await deleteLoginFailure(db, id)
    } catch (error) {
      await deleteLoginFailure(db, id)
      throw error
    }
    if (success === null) await recordFailure(db, id, pair.address, { failures, ofAddress }, onLocked)
    return success
  })
}

/** Clears the person's wrong codes after a right one. */
export async function forgetWrongCodes(db: Db, person: { id: string }): Promise<void> {
  await deleteLoginFailures(db, codesOf(person), forgottenBefore())
}

/** Clears the failures of a pair after a successful sign-in. */
export async function forgetFailures(db: Db, pair: Pair): Promise<void> {
  await deleteLoginFailures(db, pair, forgottenBefore())
}

const forgottenBefore = (): Date => new Date(Date.now() - windowMs - lockMs)

async function failuresBefore(db: Db, id: string, pair: Pair): Promise<[Date[], Date[]]> {
  const since = forgottenBefore()
  const [ofPair = [], ofAddress = []] = await inParallel(db, [
    () => selectLoginFailures(db, id, pair, { since, limit: allowedFailures }),
    () => selectAddressFailures(db, pair.address, { since, limit: allowedFailuresOfAddress }),
  ])
  return [ofPair, ofAddress]
}

/** Records the failure, and the lock that it causes in the audit log. */
async function recordFailure(
  db: Db,
  id: string,
  address: string,
  { failures, ofAddress }: { failures: Date[]; ofAddress: Date[] },
  onLocked: (tx: Db) => Promise<void>,
): Promise<void> {
  const at = new Date()
  await inTransaction(db, async (tx) => {
    await updateLoginFailureJudged(tx, id, at)
    if (isLocked([at, ...failures].slice(0, allowedFailures), allowedFailures)) await onLocked(tx)
    if (isLocked([at, ...ofAddress].slice(0, allowedFailuresOfAddress), allowedFailuresOfAddress)) {
      await recordAudit(tx, { actor: 'portico', action: 'sign-in locked', account: null, subject: address, address })
    }
  })
}

async function recordLock(tx: Db, { email, address }: Pair): Promise<void> {
  const locked = { actor: 'portico', action: 'sign-in locked', address }
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

const lastInTurn = new Map<string, Promise<unknown>>()

async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
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
