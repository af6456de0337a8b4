import type { IncomingHttpHeaders } from 'node:http'
import { passiveHeader } from '@portico/contract/route'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { KeyRing } from '#platform/keys/key-ring.ts'
import type { AccessRefusal } from '#access'
import {
  createCredentialAuthentication,
  createImpersonationAuthentication,
  linkExpired,
  createTokens,
} from '#credentials'
import { createSessionAuthentication, sessionExpired, sessionUnknown } from './sessions/sessions.service.ts'

/** The authenticated caller; or null, with the reason when a token or credential was refused. */
type Authentication = { caller: Caller; refusal: null } | { caller: null; refusal: AccessRefusal | null }

/** Takes the headers of a request and the address it came from. */
export type Authenticate = (headers: IncomingHttpHeaders, address: string) => Promise<Authentication>

/** Authenticates requests by their `authorization` header: session, impersonation link or API credential. */
export function createAuthenticate(database: Database, config: { secretKey: KeyRing }): Authenticate {
  const tokens = createTokens(config.secretKey)
  const bySession = createSessionAuthentication(database)
  const byImpersonation = createImpersonationAuthentication(database)
  const byCredential = createCredentialAuthentication(database)

  async function byToken(
    token: string,
    from: { address: string; isPassive: boolean },
  ): Promise<Caller | AccessRefusal> {
    const claims = await tokens.read(token)
    if (claims === 'expired') return sessionExpired
    if (claims === 'link expired') return linkExpired
    if (claims === null) return sessionUnknown
    return 'imp' in claims ? byImpersonation(claims.imp, from.address) : bySession(claims.sid, claims.aid, from)
  }

  return async ({ authorization, 'x-account-id': account, [passiveHeader]: passive }, address) => {
    const token = bearerToken(authorization)
    const basic = token === null ? basicCredential(authorization) : null
    if (token === null && basic === null) return { caller: null, refusal: null }
    const from = { address, isPassive: passive !== undefined }
    const found = token === null ? await byCredential(basic, account, address) : await byToken(token, from)
    return 'code' in found ? { caller: null, refusal: found } : { caller: found, refusal: null }
  }
}

/** `Bearer <token>`, or the bare token as older clients send it. */
function bearerToken(authorization = ''): string | null {
  return /^(?:Bearer\s+)?([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1] ?? null
}

/** The part after `Basic`. */
function basicCredential(authorization = ''): string | null {
  return /^Basic\s+([\w+/=-]+)$/i.exec(authorization)?.[1] ?? null
}
