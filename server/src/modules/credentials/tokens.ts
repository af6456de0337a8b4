import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { AccountId } from '@portico/contract/accounts'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { BoundedMap } from '#platform/memory/bounded-map.ts'
import { derivedKeys, type KeyRing } from '#platform/keys/key-ring.ts'

const commonClaims = {
  /** Parent of the account. */
  paid: AccountId.nullable(),
  /** Power admin, power user. */
  pa: z.boolean(),
  pu: z.boolean(),
  email: z.string(),
  /** Seconds since 1970. */
  exp: z.number(),
}

// Separates the uses of the key: a token signed for another purpose is never accepted as a session token.
const audiences = { session: 'portico session', link: 'portico impersonation link' } as const

/** A token of a session; the account is null before one is chosen. */
const SessionClaims = z.object({
  aud: z.literal(audiences.session),
  sid: z.uuid(),
  aid: AccountId.nullable(),
  ...commonClaims,
})
/** A token of an impersonation link; it has no session. */
const ImpersonationClaims = z.object({ aud: z.literal(audiences.link), imp: z.uuid(), aid: AccountId, ...commonClaims })

/** The claims of a token. They identify the person and the account; permissions are read on every request. */
const Claims = z.union([ImpersonationClaims, SessionClaims])
type Claims = z.output<typeof Claims>
type SetBySigning = 'exp' | 'aud'
type NewClaims =
  | Omit<z.output<typeof SessionClaims>, SetBySigning>
  | Omit<z.output<typeof ImpersonationClaims>, SetBySigning>

type Expired = 'expired' | 'link expired'
const expired = (payload: object): Expired => ('imp' in payload ? 'link expired' : 'expired')

/** Signs and reads tokens with a dedicated key, derived from the installation's secret. */
export type Tokens = {
  sign: (claims: NewClaims, expiresAt: Date) => Promise<string>
  /** Null if the token was not signed by this installation. */
  read: (token: string) => Promise<Claims | Expired | null>
}

// The same tokens arrive with every request, and checking a signature costs as much as a database read.
const maxCachedTokens = 5000

export function createTokens(secretKey: string | KeyRing): Tokens {
  const derive = (secret: string) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'portico tokens', 32)))
  const keys = derivedKeys(secretKey, derive)
  const verified = new BoundedMap<string, Claims>(maxCachedTokens)
  return {
    async sign(claims, expiresAt) {
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience('imp' in claims ? audiences.link : audiences.session)
        .setExpirationTime(expiresAt)
        .sign(keys[0])
    },
    async read(token) {
      const known = verified.get(token)
      if (known) return known.exp * 1000 > Date.now() ? known : expired(known)
      let claims: Claims | Expired | null = null
      for (const key of keys) claims ??= await verify(token, key)
      if (claims && typeof claims === 'object') verified.set(token, claims)
      return claims
    },
  }
}

async function verify(token: string, key: KeyObject): Promise<Claims | Expired | null> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], audience: Object.values(audiences) })
    return Claims.parse(payload)
  } catch (error) {
    // Thrown only after the signature was verified.
    if (error instanceof errors.JWTExpired) return expired(error.payload)
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}
