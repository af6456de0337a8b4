import type { PasskeyProof, NewPasskey, passkeysApi } from '@portico/contract/passkeys'
import type { Reply } from '@portico/contract/route'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { ApiError } from '#lib/api/api-error.ts'
import { call, type RouteLine } from '#lib/api/api.ts'
import { useDeployment } from '#lib/deployment.ts'

/** The library for WebAuthn, loaded when a passkey is asked for. */
const loadLibrary = () => import('@simplewebauthn/browser')

type PasskeysApi = typeof passkeysApi
type BegunPasskey = Reply<PasskeysApi['beginPasskey']>

// Spelled out: the sign-in page needs no schema library.
const beginSignIn: RouteLine<PasskeysApi['beginPasskeySignIn']> = {
  method: 'POST',
  path: '/identity/v1/passkey-challenges',
  access: 'public',
}

/** A signed challenge to sign in with. */
export type PasskeyAnswer = { token: string; passkey: PasskeyProof }

/** Milliseconds that people have for their device, as long as the challenge is valid. */
const timeout = 5 * 60_000

/** Why passkeys cannot be used in this browser at this address; null if they can. */
export function usePasskeyObstacle(): string | null {
  const { passkeyOrigin } = useDeployment()
  if (passkeyOrigin === null) {
    return 'Passkeys need a portal with an https address and a host name. The operator can set one as PUBLIC_URL.'
  }
  if (passkeyOrigin !== window.location.origin) return `Passkeys work at ${passkeyOrigin} only. Open the portal there.`
  return 'PublicKeyCredential' in window ? null : 'This browser does not support passkeys.'
}

/** Whether the browser offers passkeys in its list of suggestions for a field. */
export async function canSuggestPasskeys(): Promise<boolean> {
  return (await loadLibrary()).browserSupportsWebAuthnAutofill()
}

/**
 * Asks for any passkey of the portal. With `isSuggested`, the browser offers it in the field whose `autocomplete` ends
 * in `webauthn`, until the next request or `stopAsking`.
 * @throws {ApiError} with the reason for people; {PasskeyWithdrawn} when another request takes its place
 */
export async function askForPasskey({ isSuggested }: { isSuggested: boolean }): Promise<PasskeyAnswer> {
  const [{ startAuthentication }, { token, challenge, rpId }] = await Promise.all([
    loadLibrary(),
    call(beginSignIn, {}),
  ])
  const optionsJSON = { challenge, rpId, timeout, userVerification: 'required' as const }
  const { id, response } = await startAuthentication({ optionsJSON, useBrowserAutofill: isSuggested }).catch(refuse)
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response
  return { token, passkey: { id, clientDataJSON, authenticatorData, signature, userHandle } }
}

/** Withdraws the request that is open, if there is one. */
export async function stopAsking(): Promise<void> {
  ;(await loadLibrary()).WebAuthnAbortService.cancelCeremony()
}

// COSE: EdDSA, ES256 and RS256, as the server accepts them.
const algorithms = [-8, -7, -257]

/** Makes a passkey on a device of the person's choice. Throws as `askForPasskey`. */
export async function makePasskey({ challenge, rpId, product, user, ...begun }: BegunPasskey): Promise<NewPasskey> {
  const { startRegistration } = await loadLibrary()
  const optionsJSON: PublicKeyCredentialCreationOptionsJSON = {
    challenge,
    rp: { id: rpId, name: product },
    user,
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
    timeout,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: begun.excludeCredentials as NonNullable<
      PublicKeyCredentialCreationOptionsJSON['excludeCredentials']
    >,
  }
  const { id, response } = await startRegistration({ optionsJSON }).catch(refuse)
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { id, clientDataJSON, attestationObject, transports }
}

/** Browsers tell apart little, so that pages do not learn what passkeys a person has. */
function refuse(error: unknown): never {
  const { name } = error as Error
  if (name === 'InvalidStateError') throw new ApiError('unexpected', 'This device already has a passkey of yours.')
  if (name === 'AbortError') throw new PasskeyWithdrawn()
  const isCancelled = name === 'NotAllowedError'
  throw new ApiError(
    'unexpected',
    isCancelled
      ? 'No passkey was used: the request was cancelled, or took too long.'
      : 'The device did not give a passkey that the portal can use. Try another one.',
  )
}

/** Another request took the place of this one; there is nothing to show. */
export class PasskeyWithdrawn extends Error {
  override name = 'PasskeyWithdrawn'
}
