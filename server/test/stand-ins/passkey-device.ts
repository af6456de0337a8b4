import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { expect } from 'vitest'
import { type Client, testPassword } from '#test/kit/portal.ts'

// An authenticator in software (WebAuthn Level 3, 6): it makes passkeys with ES256 keys and signs with them, and lies
// where a test asks it to.

/** A challenge of the portal; `user` for a new passkey. */
type Asked = { token: string; challenge: string; rpId: string; user?: { id: string } }

/** Differences from what an honest browser and authenticator would say. */
type Lies = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  /** False: it was touched, but no one was verified. */
  isVerified?: boolean
  counter?: number
  userHandle?: string
}

export type Authenticator = {
  id: string
  /** The body of `addPasskey`, without the name. */
  create: (asked: Asked, lies?: Lies & { isSynced?: boolean }) => { token: string; passkey: Record<string, unknown> }
  /** The body of `signInWithPasskey`. */
  sign: (asked: Asked, lies?: Lies) => { token: string; passkey: Record<string, unknown> }
}

const isPresent = 0x01
const isUserVerified = 0x04
const isBackedUp = 0x18
const hasKey = 0x40

/** An authenticator with one key. `counts`: whether it counts its signatures. */
export function createAuthenticator({ counts = false, origin = 'http://localhost:8080' } = {}): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let state = { counter: 0, userHandle: 'of-no-one', flags: 0 }
  const count = (): number => (counts ? ++state.counter : 0)
  return {
    id,
    create(asked, { isSynced = false, ...lies } = {}) {
      state = { ...state, userHandle: asked.user?.id ?? '', flags: isSynced ? isBackedUp : 0 }
      const data = authenticatorData(asked, lies, { flags: state.flags | hasKey, counter: count() })
      const attestationObject = attestationOf(Buffer.concat([data, keyData(credentialId, publicKey)]))
      const clientDataJSON = clientData(origin, asked, lies, 'webauthn.create')
      const passkey = { id, ...inBase64Url({ clientDataJSON, attestationObject }), transports: ['internal'] }
      return { token: asked.token, passkey }
    },
    sign(asked, lies = {}) {
      const data = authenticatorData(asked, lies, { flags: state.flags, counter: count() })
      const clientDataJSON = clientData(origin, asked, lies, 'webauthn.get')
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey)
      const userHandle = lies.userHandle ?? state.userHandle
      const signed = inBase64Url({ clientDataJSON, authenticatorData: data, signature })
      return { token: asked.token, passkey: { id, ...signed, userHandle } }
    },
  }
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

const inBase64Url = (parts: Record<string, Buffer>): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64url')]))

/** The part that the browser writes. */
function clientData(origin: string, asked: Asked, lies: Lies, type: string): Buffer {
  const { challenge } = asked
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...sentBy(lies) }))
}

const sentBy = ({ type, challenge, origin }: Lies) => ({
  ...(type !== undefined && { type }),
  ...(challenge !== undefined && { challenge }),
  ...(origin !== undefined && { origin }),
})

/** The part that the authenticator writes, without a key. */
function authenticatorData(asked: Asked, lies: Lies, { flags, counter }: { flags: number; counter: number }): Buffer {
  const verified = lies.isVerified === false ? 0 : isUserVerified
  const counted = Buffer.alloc(4)
  counted.writeUInt32BE(lies.counter ?? counter)
  return Buffer.concat([sha256(lies.rpId ?? asked.rpId), Buffer.from([isPresent | verified | flags]), counted])
}

/** A new key with its id, of an unnamed model of authenticator. */
function keyData(credentialId: Buffer, key: KeyObject): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(credentialId.length)
  return Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(key)])
}

const attestationOf = (data: Buffer): Buffer =>
  cborMap([
    [cborText('fmt'), cborText('none')],
    [cborText('attStmt'), cborMap([])],
    [cborText('authData'), cborBytes(data)],
  ])

/** COSE: EC2 (2), ES256 (-7), P-256 (1), x and y. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
  ])
}

// CBOR (RFC 8949), as far as an authenticator needs it.
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}
const cborInt = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
const cborMap = (entries: [Buffer, Buffer][]): Buffer => Buffer.concat([cborHead(5, entries.length), ...entries.flat()])

/** Gets a challenge to sign in with a passkey. */
export async function askToSignIn(client: Client): Promise<Asked> {
  return (await client.post('/identity/v1/passkey-challenges')).json<Asked>()
}

/** Gets a challenge for a new passkey of a person with the shared test password. */
export async function askToAdd(client: Client): Promise<Asked> {
  const begun = await client.post('/identity/v1/profile/passkey-challenges', { password: testPassword })
  expect(begun.status).toBe(200)
  return begun.json<Asked>()
}

/** Adds a passkey to a person with the shared test password. Returns its id in the portal. */
export async function addPasskey(client: Client, authenticator: Authenticator, name = 'Laptop'): Promise<string> {
  const created = authenticator.create(await askToAdd(client))
  const added = await client.post('/identity/v1/profile/passkeys', { name, ...created })
  expect(added.status).toBe(201)
  return added.json<{ _id: string }>()._id
}
