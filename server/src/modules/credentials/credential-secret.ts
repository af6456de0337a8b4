import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** An access key to know an API credential by, and the secret that proves it: shown once, and kept as its hash. */
export function generateCredential(): { accessKey: string; secretKey: string; secretHash: string } {
  // 120 and 256 bits: neither is guessed.
  const accessKey = `PK${randomBytes(15).toString('hex').toUpperCase()}`
  const secretKey = randomBytes(32).toString('base64url')
  return { accessKey, secretKey, secretHash: hashSecretKey(secretKey) }
}

const hashOfNobody = hashSecretKey(randomBytes(32).toString('hex'))

/** Whether the secret of an API credential is the one of this hash; without a hash it takes the same time, and is not. */
export function isSecretOf(secretHash: string | null, secretKey: string): boolean {
  const wanted = Buffer.from(secretHash ?? hashOfNobody)
  const given = Buffer.from(hashSecretKey(secretKey))
  return wanted.length === given.length && timingSafeEqual(wanted, given) && secretHash !== null
}

/** A random secret needs no slow hash: there is nothing to try out. */
function hashSecretKey(secretKey: string): string {
  return createHash('sha256').update(secretKey).digest('hex')
}
