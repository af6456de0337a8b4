import { isIP } from 'node:net'
import { AppError } from '#platform/app-error.ts'

/** The host to which passkeys are bound, and the origin of its pages. */
export type RelyingParty = { id: string; origin: string }

/**
 * By the portal's own URL alone, never by a request. Null if browsers allow no passkeys there: they need a host name, and
 * encryption except on this machine (WebAuthn Level 3, 5.1.3 and 13.4.9).
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  if (isAddress || !(protocol === 'https:' || isLocal)) return null
  return { id: hostname, origin }
}

/** @throws not_found with the reason */
export function requireRelyingParty({ publicUrl }: { publicUrl: string }): RelyingParty {
  const party = relyingPartyOf(publicUrl)
  if (party) return party
  const message = 'Passkeys need an https address with a host name. The operator can set one as PUBLIC_URL.'
  throw new AppError('not_found', undefined, message)
}
