import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Generates the access key of an API credential and its secret, which is shown once and stored as a hash. */
export function generateCredential(): { accessKey: string; secretKey: string; secretHash: string } {
  // 120 and 256 bits: neither can be guessed.
  const accessKey = `PK${randomBytes(15).toString('hex').toUpperCase()}`
  const secretKey = randomBytes(32).toString('base64url')
  return { accessKey, secretKey, secretHash: hashSecretKey(secretKey) }
}

/**
 * The access key that an `authorization` header names; null unless it is Basic. Text of any other form is not returned:
 * it may be a secret in the wrong place.
 */
export function accessKeyOf(authorization = ''): string | null {
  const encoded = /^Basic\s+([\w+/=-]+)$/i.exec(authorization)?.[1]
  if (encoded === undefined) return null
  const [accessKey = ''] = Buffer.from(encoded, 'base64').toString().split(':')
  return /^PK[\dA-F]{30}$/i.test(accessKey) ? accessKey : '(not an access key)'
}

const dummyHash = hashSecretKey(randomBytes(32).toString('hex'))

/** Whether the secret of an API credential has this hash. Without a hash it takes the same time and returns false. */
export function isSecretOf(secretHash: string | null, secretKey: string): boolean {
  const wanted = Buffer.from(secretHash ?? dummyHash)
  const given = Buffer.from(hashSecretKey(secretKey))
  return wanted.length === given.length && timingSafeEqual(wanted, given) && secretHash !== null
}

/** A fast hash suffices: a random secret cannot be found by guessing. */
function hashSecretKey(secretKey: string): string {
  return createHash('sha256').update(secretKey).digest('hex')
}
