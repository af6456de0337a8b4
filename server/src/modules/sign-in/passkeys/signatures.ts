import type { NewPasskey, PasskeyProof } from '@portico/contract/passkeys'
import type { RelyingParty } from './relying-party.ts'

// The one file that uses the library for WebAuthn. It is loaded with the first passkey, as it takes half a second.
const loadVerifier = () => import('@simplewebauthn/server')
const loadHelpers = () => import('@simplewebauthn/server/helpers')

/** COSE: EdDSA, ES256 and RS256, which all authenticators have one of. */
const signatureAlgorithms = [-8, -7, -257]

type Expected = { party: RelyingParty; challenge: string }

/** Facts about a passkey in what its authenticator signs. */
type Signed = { counter: number; isSynced: boolean }

/**
 * Checks the signature of a passkey: over this challenge, for this origin and host, by a person whom the authenticator
 * has verified. Returns null if anything of it is wrong. Whether the counter has grown is for the caller.
 */
export async function verifyProof(
  proof: PasskeyProof,
  passkey: { credentialId: string; publicKey: Buffer },
  { party, challenge }: Expected,
): Promise<Signed | null> {
  const { id, ...response } = proof
  const { verifyAuthenticationResponse } = await loadVerifier()
  return orNull(async () => {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // Below every counter, since a counter that went backwards must be recorded as such.
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: -1 },
      requireUserVerification: true,
    })
    return verified ? { counter: info.newCounter, isSynced: info.credentialBackedUp } : null
  })
}

/**
 * Checks a new passkey in the same way. Returns null if anything of it is wrong, or if it comes with certificates: the
 * portal asks for none, and would have to judge them.
 */
export async function verifyNewPasskey(
  { id, clientDataJSON, attestationObject }: NewPasskey,
  { party, challenge }: Expected,
): Promise<(Signed & { credentialId: string; publicKey: Buffer }) | null> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] = await Promise.all([
    loadVerifier(),
    loadHelpers(),
  ])
  return orNull(async () => {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
    // A device that signs with the key itself proves no more than with none.
    const isPlain = attestation.get('fmt') === 'none' || attestation.get('fmt') === 'packed'
    if (!isPlain || attestation.get('attStmt').get('x5c') !== undefined) return null
    const response = { clientDataJSON, attestationObject }
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: signatureAlgorithms,
    })
    if (!verified) return null
    const { credential, credentialBackedUp: isSynced } = info
    const { publicKey, counter } = credential
    return { credentialId: credential.id, publicKey: Buffer.from(publicKey), counter, isSynced }
  })
}

/** The library throws for every kind of wrong input, from bytes that are no CBOR to another origin. */
async function orNull<T>(verify: () => Promise<T | null>): Promise<T | null> {
  try {
    return await verify()
  } catch {
    return null
  }
}
