import { randomBytes, randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { createBoundedQueue } from '#platform/bounded-queue.ts'

// Each takes a processor for some hundredths of a second. One stays free for everything else, and a burst of guesses
// ends in `too_many_requests` instead of a line that gets longer and longer.
const inTurn = createBoundedQueue({ atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)), waiting: 100 })

/** Throws `too_many_requests` when too many passwords are being looked at. */
export function hashPassword(password: string): Promise<string> {
  // The library's defaults are argon2id with 19 MiB and two passes, as OWASP recommends.
  return inTurn(() => hash(composed(password)))
}

/** Keyboards differ in how they write the same letter: é as one character, or as two. */
const composed = (password: string): string => password.normalize('NFKC')

let hashOfNobody: Promise<string> | undefined

/**
 * Whether the password is the right one. Without a hash (unknown e-mail, or no password yet) one is checked
 * all the same, so that timing reveals nothing. Throws `too_many_requests`.
 */
export async function isPasswordOf(passwordHash: string | null, password: string): Promise<boolean> {
  hashOfNobody ??= hash(generatePassword())
  const nobody = await hashOfNobody
  const isRight = await inTurn(() => verify(passwordHash ?? nobody, composed(password)))
  return isRight && passwordHash !== null
}

export const newSalt = (): Buffer => randomBytes(16)

/**
 * The same hash for a secret that is too short for a fast one, under a salt that is shared with others of its owner: so
 * one is enough to look it up among them. Throws `too_many_requests`.
 */
export function hashShortSecret(secret: string, salt: Buffer): Promise<string> {
  return inTurn(() => hash(secret, { salt }))
}

/** The salt in such a hash (`$argon2id$v=19$m=…$salt$hash`). */
export function saltOf(hashed: string): Buffer {
  return Buffer.from(hashed.split('$')[4] ?? '', 'base64')
}

// Without the letters and digits that are taken for each other.
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** 20 characters, about 116 bits. */
export function generatePassword(): string {
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('')
}
