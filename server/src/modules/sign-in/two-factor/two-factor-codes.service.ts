import {
  deleteRecoveryCodes,
  insertRecoveryCodes,
  selectRecoveryCodeHash,
  updateRecoveryCodeUsed,
} from './recovery-codes.queries.ts'
import { randomInt } from 'node:crypto'
import { verifySync } from 'otplib'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { createSecrets, type Secrets, SecretUnreadable } from '#platform/secrets.ts'
import { attempt, attemptAtCodes, forgetWrongCodes } from '../lockout/lockout.service.ts'
import { enqueueSecurityEmail } from '../emails/security-emails.service.ts'
import { hashShortSecret, newSalt, saltOf } from '../passwords/passwords.ts'
import { selectTwoFactor, updateTwoFactorStep } from '#persons'

/** Dependencies of checking codes. */
export type CodeDeps = { database: Database; jobs: Jobs; config: Pick<Config, 'secretKey'> }

/** Purpose under which secrets of authenticator apps are encrypted, and recovery codes hashed. */
export const twoFactorPurpose = 'two-factor'

export const twoFactorSecrets = (config: Pick<Config, 'secretKey'>): Secrets =>
  createSecrets(config.secretKey, twoFactorPurpose)

const periodSeconds = 30
const recoveryCodeCount = 10
// Without letters and digits that are easily confused.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/**
 * Checks a code of the person: one of the app (the current, previous or next one) or a recovery code. Each works once.
 * Counts as an attempt at the email from this address, and at the person's codes from any address: a stolen password
 * must not allow guesses from many addresses. `before` runs first and may refuse by throwing.
 */
export async function attemptCode(
  deps: CodeDeps,
  person: { id: string; email: string },
  from: { address: string; device: string },
  code: string,
  before: () => Promise<void> = async () => {},
): Promise<boolean> {
  const { db } = deps.database
  const kind = await attempt({ db, jobs: deps.jobs }, { email: person.email, ...from }, () =>
    attemptAtCodes(db, person, async () => {
      await before()
      const secrets = twoFactorSecrets(deps.config)
      const typed = code.replaceAll(/[\s-]/g, '').toLowerCase()
      // Slow on purpose, so it runs before the transaction.
      const recoveryHashes = isOfApp(typed) ? [] : await hashesOfRecoveryCode(db, secrets, person.id, typed)
      return inTransaction(db, async (tx) => {
        const used = await useCode(tx, secrets, person.id, { typed, recoveryHashes })
        const notice = { personId: person.id, notice: 'recovery code used', from } as const
        if (used === 'recovery') await enqueueSecurityEmail(tx, deps.jobs, notice)
        return used
      })
    }),
  )
  if (kind !== null) await forgetWrongCodes(db, person)
  return kind !== null
}

const isOfApp = (typed: string): boolean => /^\d{6}$/.test(typed)

/**
 * The hashes under which the code may be stored if it is one of the person's: by the present key and by those it
 * replaced, since a hash cannot be renewed without the code. Empty if the person has no codes left.
 */
async function hashesOfRecoveryCode(db: Db, secrets: Secrets, personId: string, typed: string): Promise<string[]> {
  const known = await selectRecoveryCodeHash(db, personId)
  if (known === null) return []
  const fingerprints = secrets.fingerprints(typed, personId)
  return Promise.all(fingerprints.map((fingerprint) => hashShortSecret(fingerprint, saltOf(known))))
}

/** Uses the code up; null when it is wrong or was already used. */
async function useCode(
  db: Db,
  secrets: Secrets,
  personId: string,
  { typed, recoveryHashes }: { typed: string; recoveryHashes: string[] },
): Promise<'app' | 'recovery' | null> {
  if (!isOfApp(typed)) {
    if (recoveryHashes.length === 0) return null
    return (await updateRecoveryCodeUsed(db, personId, recoveryHashes, new Date())) ? 'recovery' : null
  }
  const sealed = (await selectTwoFactor(db, personId))?.secret
  if (!sealed) return null
  const step = stepOfCode(openSecret(secrets, sealed, personId), typed)
  return step !== null && (await updateTwoFactorStep(db, personId, step)) ? 'app' : null
}

const keyReplaced =
  "Your codes cannot be checked, as the portal's secret key was replaced. Ask an administrator to reset your two-factor authentication."

/** @throws not_allowed when the operator has replaced a lost key */
function openSecret(secrets: Secrets, sealed: string, personId: string): string {
  try {
    return secrets.open(sealed, personId)
  } catch (error) {
    if (error instanceof SecretUnreadable) throw new AppError('not_allowed', undefined, keyReplaced, { cause: error })
    throw error
  }
}

/** The 30-second time step that a code belongs to: the current, previous or next one; otherwise null. */
function stepOfCode(secret: string, code: string): number | null {
  const verdict = verifySync({ secret, token: code, period: periodSeconds, epochTolerance: periodSeconds })
  // The result type includes counter-based codes; time-based ones have a step.
  return verdict.valid && 'timeStep' in verdict ? verdict.timeStep : null
}

/** Creates ten new codes. Only the hashes are stored. */
export async function makeRecoveryCodes(
  config: Pick<Config, 'secretKey'>,
  personId: string,
): Promise<{ codes: string[]; hashes: string[] }> {
  const secrets = twoFactorSecrets(config)
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode)
  // One salt for all ten, so one hash finds a code among them.
  const salt = newSalt()
  const hashes = await Promise.all(
    codes.map((code) => hashShortSecret(secrets.fingerprint(code.replace('-', ''), personId), salt)),
  )
  return { codes, hashes }
}

/** Replaces the person's codes. */
export async function replaceRecoveryCodes(db: Db, personId: string, hashes: string[]): Promise<void> {
  await deleteRecoveryCodes(db, personId)
  await insertRecoveryCodes(db, personId, hashes)
}

/** Ten characters, about 50 bits: too few for a fast hash, so the hash is slow and keyed. */
function newRecoveryCode(): string {
  const characters = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${characters.slice(0, 5)}-${characters.slice(5)}`
}
