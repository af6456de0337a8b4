import { randomInt } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

// The library's defaults are argon2id with 19 MiB and two passes, as OWASP recommends.
export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

let hashOfNobody: Promise<string> | undefined

/**
 * Whether the password is the right one. Without a hash (nobody has this e-mail, or no password yet) one is checked
 * all the same, so that the time taken does not tell.
 */
export async function isPasswordOf(passwordHash: string | null, password: string): Promise<boolean> {
  hashOfNobody ??= hashPassword(generatePassword())
  const nobody = await hashOfNobody
  const isRight = await verify(passwordHash ?? nobody, password)
  return isRight && passwordHash !== null
}

// Without the letters and digits that are taken for each other.
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** 20 characters, about 116 bits. */
export function generatePassword(): string {
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('')
}
