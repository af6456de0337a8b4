// Provided by browsers and Node.js; the types of neither are loaded here.
declare const atob: (text: string) => string

/** Maximum hash rounds for a passphrase. `ssh-keygen` uses 16 or 24. */
const mostRounds = 1024
const mostRsaBits = 16_384

/**
 * Returns why a private key is not accepted, judged by its own header, which shows how long it takes to open and to
 * sign. Null for a key without such a header, which is checked when it is used.
 */
export function privateKeyProblem(text: string): string | null {
  const [, kind, body] = /-----BEGIN (OPENSSH|RSA) PRIVATE KEY-----([a-z\d+/=\s]+)/i.exec(text) ?? []
  if (kind === undefined || body === undefined) return null
  try {
    const reader = readerOf(Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (letter) => letter.charCodeAt(0)))
    return kind.toUpperCase() === 'RSA' ? problemOfPem(reader) : problemOfOpenSsh(reader)
  } catch {
    // An unreadable key is reported when it is used.
    return null
  }
}

type Reader = { number: (bytes: number) => number; take: (bytes: number) => Uint8Array; isAtEnd: () => boolean }

function readerOf(bytes: Uint8Array): Reader {
  let at = 0
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new RangeError('The key ends too early.')
    at += count
    return bytes.subarray(at - count, at)
  }
  return {
    take,
    number: (count) => take(count).reduce((value, byte) => value * 256 + byte, 0),
    isAtEnd: () => at === bytes.length,
  }
}

const tooLarge = `The RSA key is too long. Use one of at most ${mostRsaBits.toLocaleString('en-US')} bits, or one of type Ed25519.`
const tooManyRounds = `The passphrase of this key is hashed too often. Save the key again with at most ${mostRounds.toLocaleString('en-US')} rounds: ssh-keygen -p -a 100.`

const rsaProblem = (modulus: Uint8Array): string | null =>
  // A leading zero marks the number as positive.
  modulus.length - (modulus[0] === 0 ? 1 : 0) > mostRsaBits / 8 ? tooLarge : null

function problemOfOpenSsh(reader: Reader): string | null {
  const next = (from = reader): Uint8Array => from.take(from.number(4))
  reader.take('openssh-key-v1\0'.length)
  // Skips the cipher, and the kind of hash.
  next()
  next()
  const options = readerOf(next())
  if (!options.isAtEnd()) {
    next(options)
    if (options.number(4) > mostRounds) return tooManyRounds
  }
  reader.number(4)
  const publicKey = readerOf(next())
  if (String.fromCharCode(...next(publicKey).subarray(0, 8)) !== 'ssh-rsa') return null
  // Skips the exponent; the modulus follows.
  next(publicKey)
  return rsaProblem(next(publicKey))
}

function problemOfPem(reader: Reader): string | null {
  const length = (): number => {
    const first = reader.number(1)
    return first < 128 ? first : reader.number(first - 128)
  }
  // A sequence of the version, the modulus and others.
  reader.take(1)
  length()
  reader.take(1)
  reader.take(length())
  reader.take(1)
  return rsaProblem(reader.take(length()))
}
