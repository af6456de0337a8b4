import { z } from 'zod'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import { createSecrets, type Secrets, SecretUnreadable } from '#platform/secrets.ts'
import { newSecret } from '../person-links/secret-links.ts'
import { insertUsedChallenge } from './challenges.queries.ts'

const lifetimeMs = 5 * 60_000

type Keys = Pick<Config, 'secretKey'>

/** The use of a challenge: anyone signs in with it, or one session adds a passkey. */
export type ChallengePurpose = 'sign in' | `add in ${string}`

const sealOf = ({ secretKey }: Keys): Secrets => createSecrets(secretKey, 'passkey challenges')

const Sealed = z.object({ challenge: z.string(), expiresAt: z.number() })

/**
 * Returns 256 random bits to sign, and a token that seals them with their purpose and expiry. Nothing is stored before
 * the answer, which anyone may ask for. The token stays in the browser that asked, and no authenticator sees it: an
 * answer without it is worth nothing elsewhere.
 */
export function newChallenge(keys: Keys, purpose: ChallengePurpose): { token: string; challenge: string } {
  const challenge = newSecret()
  const token = sealOf(keys).seal(JSON.stringify({ challenge, expiresAt: Date.now() + lifetimeMs }), purpose)
  return { token, challenge }
}

/**
 * Uses the challenge of a token up, and returns it. `expired` after five minutes; null if the token is not of the portal
 * or for another purpose, and if it was used before.
 */
export async function takeChallenge(
  db: Db,
  keys: Keys,
  token: string,
  purpose: ChallengePurpose,
): Promise<{ challenge: string } | 'expired' | null> {
  const sealed = openToken(keys, token, purpose)
  if (sealed === null) return null
  const now = new Date()
  if (sealed.expiresAt <= now.getTime()) return 'expired'
  const isFirst = await insertUsedChallenge(db, sealed.challenge, { expiresAt: new Date(sealed.expiresAt), now })
  return isFirst ? { challenge: sealed.challenge } : null
}

function openToken(keys: Keys, token: string, purpose: ChallengePurpose): z.output<typeof Sealed> | null {
  try {
    return Sealed.parse(JSON.parse(sealOf(keys).open(token, purpose)))
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}
