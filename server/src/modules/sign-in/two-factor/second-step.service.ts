import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type PersonDetails, selectPersonById } from '#persons'
import {
  deleteExpiredSecondSteps,
  deleteSecondStep,
  insertSecondStep,
  selectSecondStep,
  updateCodesTried,
} from './second-steps.queries.ts'
import { hashOfSecret, newSecret } from '../person-links/secret-links.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'
import { attemptCode } from './two-factor-codes.service.ts'

const lifetimeMs = 5 * 60_000
const allowedCodes = 5

/** Returns a token for the second step of this person, valid for five minutes. */
export async function beginSecondStep(db: Db, personId: string): Promise<string> {
  const token = newSecret()
  const now = new Date()
  await deleteExpiredSecondSteps(db, personId, now)
  await insertSecondStep(db, hashOfSecret(token), personId, new Date(now.getTime() + lifetimeMs))
  return token
}

/**
 * Returns the person of a token. Throws `wrong_credentials` with `{step: 'password'}` if it has expired or was used.
 */
export async function personOfStep(db: Db, token: string): Promise<PersonDetails> {
  const personId = await selectSecondStep(db, hashOfSecret(token), new Date())
  const person = personId === null ? null : await selectPersonById(db, personId)
  if (!person?.twoFactorSince) throw startOver('The code expired. Please sign in again.')
  return person
}

/**
 * Requires a code of the person who signs in with a token; `takeSecondStep` uses the token up.
 * @throws too_many_attempts; wrong_credentials with details: `{step: 'code'}` to try another code, or `{step:
 * 'password'}` to start over when the token was used or has had five wrong codes
 */
export async function requireSecondCode(
  deps: Pick<SignInDeps, 'database' | 'jobs' | 'config'>,
  person: PersonDetails,
  { token, code }: { token: string; code: string },
  from: Origin,
): Promise<void> {
  const { db } = deps.database
  const tokenHash = hashOfSecret(token)
  let tried = 0
  const isRight = await attemptCode(deps, person, from, code, async () => {
    // Counted before the code is checked, so concurrent attempts cannot bypass the limit.
    const count = await updateCodesTried(db, tokenHash, allowedCodes)
    if (count === null) throw startOver('Too many wrong codes. Please sign in again.')
    tried = count
  })
  if (!isRight && tried >= allowedCodes) throw startOver('Too many wrong codes. Please sign in again.')
  if (!isRight) throw new AppError('wrong_credentials', { step: 'code' }, 'The code is wrong or has already been used.')
}

/**
 * Uses up a token, in the transaction that signs its person in; the caller must have locked the person. A new password
 * deletes the tokens obtained with the previous one.
 * @throws wrong_credentials with `{step: 'password'}` for a token that no longer exists
 */
export async function takeSecondStep(tx: Db, token: string): Promise<void> {
  if (!(await deleteSecondStep(tx, hashOfSecret(token)))) throw startOver('Please sign in again.')
}

function startOver(message: string): AppError {
  return new AppError('wrong_credentials', { step: 'password' }, message)
}
