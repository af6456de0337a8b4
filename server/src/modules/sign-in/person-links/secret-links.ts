import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as text that fits into an address. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of such a secret. It is random, so a plain SHA-256 is enough to recognise it by. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
