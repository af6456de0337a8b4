import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as URL-safe text. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of such a secret. A plain SHA-256 suffices because the secret is random. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
