import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { derivedKeys, type KeyRing } from './keys/key-ring.ts'

/** Encrypts secrets that must be readable later, and fingerprints those that only have to be recognized. */
export type Secrets = {
  /** Encrypts and signs. `boundTo` is the id of the owner: only that id opens the secret. Returns base64url text. */
  seal: (text: string, boundTo: string) => string
  /**
   * Throws `SecretUnreadable` if the text was changed, or was sealed for another id or with a key missing from the
   * ring.
   */
  open: (sealed: string, boundTo: string) => string
  /** Returns 64 hexadecimal digits that identify a text, and reveal nothing without the installation's key. */
  fingerprint: (text: string, boundTo: string) => string
  /** Returns the fingerprints of a text by the current key and by those that it replaced. */
  fingerprints: (text: string, boundTo: string) => string[]
}

/** A sealed secret cannot be opened, most likely because SECRET_KEY has changed. */
export class SecretUnreadable extends Error {
  constructor() {
    super('A stored secret cannot be read. Was SECRET_KEY changed without SECRET_KEY_OLD?')
    this.name = 'SecretUnreadable'
  }
}

const ivBytes = 12
const tagBytes = 16

/**
 * Encrypts with AES-256-GCM and a random initialization vector. A separate key is derived from the installation's for
 * each purpose, so a secret sealed for one purpose does not open for another.
 */
export function createSecrets(secretKey: string | KeyRing, purpose: string): Secrets {
  const derive = (use: string) => (secret: string) =>
    new Uint8Array(hkdfSync('sha256', secret, '', `portico ${purpose}: ${use}`, 32))
  const sealingKeys = derivedKeys(secretKey, derive('seal'))
  const fingerprintKeys = derivedKeys(secretKey, derive('fingerprint'))
  const fingerprintBy = (key: Uint8Array, text: string, boundTo: string): string =>
    // JSON keeps different pairs from giving the same text.
    createHmac('sha256', key)
      .update(JSON.stringify([boundTo, text]))
      .digest('hex')
  return {
    seal(text, boundTo) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', sealingKeys[0], iv).setAAD(Buffer.from(boundTo))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(sealed, boundTo) {
      for (const key of sealingKeys) {
        const text = openWith(key, sealed, boundTo)
        if (text !== null) return text
      }
      throw new SecretUnreadable()
    },
    fingerprint: (text, boundTo) => fingerprintBy(fingerprintKeys[0], text, boundTo),
    fingerprints: (text, boundTo) => fingerprintKeys.map((key) => fingerprintBy(key, text, boundTo)),
  }
}

/** Returns null if it was sealed with another key, for another id, or changed. */
function openWith(key: Uint8Array, sealed: string, boundTo: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
