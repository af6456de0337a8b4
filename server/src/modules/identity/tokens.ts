import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { AccountId } from '@portico/contract/identity'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'

/** What a token says. It is believed for who and where; what its holder may do is looked up at each request. */
const Claims = z.object({
  sid: z.uuid(),
  /** Account, or null before one is chosen. */
  aid: AccountId.nullable(),
  /** Parent of the account. */
  paid: AccountId.nullable(),
  /** Power admin, power user. */
  pa: z.boolean(),
  pu: z.boolean(),
  email: z.string(),
  /** Seconds since 1970. */
  exp: z.number(),
})
type Claims = z.output<typeof Claims>

/** Makes and reads tokens with a key of their own, derived from the installation's secret. */
export type Tokens = {
  sign: (claims: Omit<Claims, 'exp'>, expiresAt: Date) => Promise<string>
  /** Null when we did not make the token. */
  read: (token: string) => Promise<Claims | 'expired' | null>
}

// A session's tokens are seen over and over, and checking a signature costs as much as a database read.
const rememberedTokens = 5000

export function createTokens(secretKey: string): Tokens {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'portico tokens', 32)))
  const verified = new Map<string, Claims>()
  return {
    async sign(claims, expiresAt) {
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(expiresAt).sign(key)
    },
    async read(token) {
      const known = verified.get(token)
      if (known) return known.exp * 1000 > Date.now() ? known : 'expired'
      const claims = await verify(token, key)
      if (claims && claims !== 'expired') {
        const [oldest] = verified.keys()
        if (oldest !== undefined && verified.size >= rememberedTokens) verified.delete(oldest)
        verified.set(token, claims)
      }
      return claims
    },
  }
}

async function verify(token: string, key: KeyObject): Promise<Claims | 'expired' | null> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
    return Claims.parse(payload)
  } catch (error) {
    // Thrown only after the signature was found to be ours.
    if (error instanceof errors.JWTExpired) return 'expired'
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null
    throw error
  }
}
