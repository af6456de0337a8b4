import { createHmac } from 'node:crypto'

const periodMs = 30_000
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns codes of a key as an authenticator app shows them (RFC 6238), each only once, as the portal accepts it once. */
export function authenticatorOf(key: string): () => string {
  // The portal also accepts the code of the next half minute, so two codes need no wait.
  let last = Math.floor(Date.now() / periodMs) - 2
  return () => {
    last = Math.max(last + 1, Math.floor(Date.now() / periodMs) - 1)
    return codeAt(key, last)
  }
}

function codeAt(key: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', bytesOf(key)).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 0xf
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

function bytesOf(key: string): Buffer {
  const bits = Array.from(key.replaceAll(' ', ''))
    .map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
