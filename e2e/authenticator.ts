import { createHmac } from 'node:crypto'

const periodMs = 30_000
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** How long a code may take to arrive, in milliseconds, before the half minute after its own ends. */
const leewayMs = 5000

/** Returns codes of a key as an authenticator app shows them (RFC 6238), each once, as the portal accepts it once. */
export function authenticatorOf(key: string): () => string {
  // The portal also accepts the codes of the half minutes before and after, so three codes need no wait.
  const earliest = (): number => Math.floor((Date.now() + leewayMs) / periodMs) - 1
  let next = earliest()
  return () => {
    const step = Math.max(next, earliest())
    next = step + 1
    return codeAt(key, step)
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
