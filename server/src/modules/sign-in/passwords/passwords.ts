import { normalizeText } from '@portico/domain/unicode'
import { randomBytes, randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { createBoundedQueue } from '#platform/bounded-queue.ts'

// Each hash occupies a processor for some hundredths of a second. One processor stays free for everything else, and a
// burst of guesses fails with `too_many_requests` instead of growing the queue.
const enqueue = createBoundedQueue({ atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)), waiting: 100 })

/** Throws `too_many_requests` when too many passwords are being hashed. */
export function hashPassword(password: string): Promise<string> {
  // The library's defaults are argon2id with 19 MiB and two passes, as OWASP recommends.
  return enqueue(() => hash(composed(password)))
}

/** Normalizes Unicode, since keyboards encode the same letter differently: é as one character, or as two. */
const composed = (password: string): string => normalizeText(password, 'NFKC')

let dummyHash: Promise<string> | undefined

/**
 * Whether the password is correct. Without a hash (unknown email, or no password yet), a dummy is checked, so the
 * timing reveals nothing. Throws `too_many_requests`.
 */
export async function isPasswordOf(passwordHash: string | null, password: string): Promise<boolean> {
  dummyHash ??= hash(generatePassword())
  const dummy = await dummyHash
  const isRight = await enqueue(() => verify(passwordHash ?? dummy, composed(password)))
  return isRight && passwordHash !== null
}

export const newSalt = (): Buffer => randomBytes(16)

/**
 * Hashes a secret too short for a fast hash like a password. All secrets of an owner share the salt, so one hash finds
 * a secret among them. Throws `too_many_requests`.
 */
export function hashShortSecret(secret: string, salt: Buffer): Promise<string> {
  return enqueue(() => hash(secret, { salt }))
}

/** The salt in such a hash (`$argon2id$v=19$m=…$salt$hash`). */
export function saltOf(hashed: string): Buffer {
  return Buffer.from(hashed.split('$')[4] ?? '', 'base64')
}

// Without letters and digits that are easily confused.
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** 20 characters, about 116 bits. */
export function generatePassword(): string {
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('')
}
