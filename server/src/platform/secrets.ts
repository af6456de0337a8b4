import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets that have to be read again, and fingerprints those that only have to be recognized. */
export type Secrets = {
  /** Encrypts and signs. `boundTo` is the id of the owner: the secret opens for no other id. Returns base64url text. */
  seal: (text: string, boundTo: string) => string
  /** Throws `SecretUnreadable` if the text was changed, belongs to another id, or was sealed with another key. */
  open: (sealed: string, boundTo: string) => string
  /** Returns 64 hexadecimal digits that identify a text, and reveal nothing without the installation's key. */
  fingerprint: (text: string, boundTo: string) => string
}

/** A sealed secret cannot be opened, most likely because SECRET_KEY has changed. */
export class SecretUnreadable extends Error {
  constructor() {
    super('A stored secret cannot be read. Was SECRET_KEY changed?')
    this.name = 'SecretUnreadable'
  }
}

const ivBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM with a random initialization vector. The key is derived from the installation's for each purpose, so a secret
 * sealed for one purpose does not open for another.
 */
export function createSecrets(secretKey: string, purpose: string): Secrets {
  const derive = (use: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secretKey, '', `portico ${purpose}: ${use}`, 32))
  const sealingKey = derive('seal')
  const fingerprintKey = derive('fingerprint')
  return {
    seal(text, boundTo) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, iv).setAAD(Buffer.from(boundTo))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(sealed, boundTo) {
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        })
        decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
      } catch {
        throw new SecretUnreadable()
      }
    },
    // As JSON, different pairs never give the same text.
    fingerprint: (text, boundTo) =>
      createHmac('sha256', fingerprintKey)
        .update(JSON.stringify([boundTo, text]))
        .digest('hex'),
  }
}
