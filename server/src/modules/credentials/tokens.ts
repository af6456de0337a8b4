import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { AccountId } from '@portico/contract/accounts'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'

const WhoAndWhere = {
  /** Parent of the account. */
  paid: AccountId.nullable(),
  /** Power admin, power user. */
  pa: z.boolean(),
  pu: z.boolean(),
  email: z.string(),
  /** Seconds since 1970. */
  exp: z.number(),
}

// What a token is for stands in it: whatever else may be signed with this key one day is no token of a session.
const audiences = { session: 'portico session', link: 'portico impersonation link' } as const

/** A token of a session; the account is null before one is chosen. */
const SessionClaims = z.object({
  aud: z.literal(audiences.session),
  sid: z.uuid(),
  aid: AccountId.nullable(),
  ...WhoAndWhere,
})
/** A token of an impersonation link, in whose place there is never a session. */
const ImpersonationClaims = z.object({ aud: z.literal(audiences.link), imp: z.uuid(), aid: AccountId, ...WhoAndWhere })

/** What a token says. It is believed for who and where; what its holder may do is looked up at each request. */
const Claims = z.union([ImpersonationClaims, SessionClaims])
type Claims = z.output<typeof Claims>
type Given = 'exp' | 'aud'
type NewClaims = Omit<z.output<typeof SessionClaims>, Given> | Omit<z.output<typeof ImpersonationClaims>, Given>

type Expired = 'expired' | 'link expired'
const expired = (payload: object): Expired => ('imp' in payload ? 'link expired' : 'expired')

/** Makes and reads tokens with a key of their own, derived from the installation's secret. */
export type Tokens = {
  sign: (claims: NewClaims, expiresAt: Date) => Promise<string>
  /** Null when we did not make the token. */
  read: (token: string) => Promise<Claims | Expired | null>
}

// A session's tokens are seen over and over, and checking a signature costs as much as a database read.
const rememberedTokens = 5000

export function createTokens(secretKey: string): Tokens {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'portico tokens', 32)))
  const verified = new Map<string, Claims>()
  return {
    async sign(claims, expiresAt) {
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience('imp' in claims ? audiences.link : audiences.session)
        .setExpirationTime(expiresAt)
        .sign(key)
    },
    async read(token) {
      const known = verified.get(token)
      if (known) return known.exp * 1000 > Date.now() ? known : expired(known)
      const claims = await verify(token, key)
      if (claims && typeof claims === 'object') {
        const [oldest] = verified.keys()
        if (oldest !== undefined && verified.size >= rememberedTokens) verified.delete(oldest)
        verified.set(token, claims)
      }
      return claims
    },
  }
}

async function verify(token: string, key: KeyObject): Promise<Claims | Expired | null> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], audience: Object.values(audiences) })
    return Claims.parse(payload)
  } catch (error) {
    // Thrown only after the signature was found to be ours.
    if (error instanceof errors.JWTExpired) return expired(error.payload)
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}
