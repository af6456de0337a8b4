import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { deleteLoginFailures, insertLoginFailure, type Pair, selectLoginFailures } from './login-failures.queries.ts'

const allowedFailures = 10
const windowMs = 15 * 60_000
const lockMs = 15 * 60_000

/**
 * Makes an attempt to sign in, unless the pair of e-mail and address is locked: then it throws `too_many_attempts`.
 * The attempt answers null when it failed. Attempts of one pair are made one after the other, so that many at the same
 * time cannot slip past the count (with several processes, as many as there are processes can).
 */
export async function attemptSignIn<T>(db: Db, pair: Pair, attempt: () => Promise<T | null>): Promise<T | null> {
  return inTurn(`${pair.email.toLowerCase()} ${pair.address}`, async () => {
    const forgottenBefore = new Date(Date.now() - windowMs - lockMs)
    const failures = await selectLoginFailures(db, pair, { since: forgottenBefore, limit: allowedFailures })
    if (isLocked(failures)) throw new AppError('too_many_attempts')
    const success = await attempt()
    if (success === null) await insertLoginFailure(db, pair, new Date())
    else if (failures.length > 0) await deleteLoginFailures(db, pair, forgottenBefore)
    return success
  })
}

/** `failures`: latest first. */
function isLocked(failures: Date[]): boolean {
  const latest = failures[0]?.getTime()
  const tenth = failures[allowedFailures - 1]?.getTime()
  if (latest === undefined || tenth === undefined) return false
  return latest - tenth <= windowMs && Date.now() - latest < lockMs
}

const lastInTurn = new Map<string, Promise<unknown>>()

async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = lastInTurn.get(key) ?? Promise.resolve()
  // How the one before ended is no business of the next.
  const mine = before.then(work, work)
  lastInTurn.set(key, mine)
  try {
    return await mine
  } finally {
    if (lastInTurn.get(key) === mine) lastInTurn.delete(key)
  }
}
