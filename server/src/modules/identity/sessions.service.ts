import type { IncomingHttpHeaders } from 'node:http'
import type { AccountId } from '@portico/contract/identity'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http.ts'
import { type SessionRow, selectSession } from './access.queries.ts'
import { type Access, toAccess } from './access.service.ts'
import { isAllowed } from './granted-actions.ts'
import { deleteExpiredSessions, insertSession, updateLastSeen, updateRevoked } from './sessions.queries.ts'
import { createTokens } from './tokens.ts'

const minuteMs = 60_000
const longestSessionMs = 12 * 60 * minuteMs
// A session's row stays a while after its end, so that its owner is told why it ended.
const endedSessionKeptMs = 7 * 24 * 60 * minuteMs
// Each request is activity, but one write a minute is enough to know of it.
const lastSeenWrittenMs = minuteMs

/** Who is asking: the caller, or null and, when a token came all the same, why it isn't good any more. */
type Authentication = { caller: Caller; refusal: null } | { caller: null; refusal: string | null }

export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Authentication>

const refusals = {
  unknown: 'Your session has ended. Please sign in again.',
  expired: 'You were signed out after 12 hours. Please sign in again.',
  idle: (minutes: number) => `You were signed out after ${minutes} minutes without activity. Please sign in again.`,
  noAccess: 'You no longer have access to this account. Please sign in again.',
}

/** Starts a session, and forgets the person's sessions that ended long ago. */
export async function startSession(
  db: Db,
  personId: string,
  from: { address: string; device: string },
): Promise<{ id: string; expiresAt: Date }> {
  const at = new Date()
  const expiresAt = new Date(at.getTime() + longestSessionMs)
  await deleteExpiredSessions(db, personId, new Date(at.getTime() - endedSessionKeptMs))
  // Long enough to recognise a browser by; a client may send anything.
  const device = from.device.slice(0, 400)
  const id = await insertSession(db, { personId, at, expiresAt, address: from.address, device })
  return { id, expiresAt }
}

export async function endSession(db: Db, id: string): Promise<void> {
  await updateRevoked(db, id, new Date())
}

/** Reads the token of each request and looks its session up. */
export function createAuthenticate(database: Database, config: { secretKey: string }): Authenticate {
  const tokens = createTokens(config.secretKey)
  const lookUp = sharingTheNext(
    (sessionId: string, account: AccountId | null) => `${sessionId} ${account}`,
    (sessionId, account) => judgeSession(database, sessionId, account),
  )
  return async (headers) => {
    const token = bearerToken(headers)
    if (token === null) return { caller: null, refusal: null }
    const claims = await tokens.read(token)
    if (claims === 'expired') return { caller: null, refusal: refusals.expired }
    if (claims === null) return { caller: null, refusal: refusals.unknown }
    const verdict = await lookUp(claims.sid, claims.aid)
    if (typeof verdict === 'string') return { caller: null, refusal: verdict }
    return { caller: toCaller(claims.sid, verdict), refusal: null }
  }
}

/** `Bearer <token>`, or the bare token as older clients send it. */
function bearerToken({ authorization }: IncomingHttpHeaders): string | null {
  return /^(?:Bearer\s+)?([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1] ?? null
}

/** What the holder of the session may do, or why not anything; notes that the session was used. */
async function judgeSession(
  { db, pool }: Database,
  sessionId: string,
  account: AccountId | null,
): Promise<Access | string> {
  const session = await selectSession(pool, sessionId, account)
  if (!session || session.revoked_at) return refusals.unknown
  const access = toAccess(session)
  const now = new Date()
  const refusal = refusalOf(session, access, now)
  if (refusal) return refusal
  // Looked up at every request: whoever is taken out of an account is out at once.
  if (account !== null && !access.mayEnter) return refusals.noAccess
  if (now.getTime() - session.last_seen_at.getTime() >= lastSeenWrittenMs) await updateLastSeen(db, sessionId, now)
  return access
}

function refusalOf(session: SessionRow, { preferences: { timeout } }: Access, now: Date): string | null {
  const idleMs = now.getTime() - session.last_seen_at.getTime()
  if (session.expires_at <= now) return refusals.expired
  // The last request may have been up to a minute after the last one noted; nobody is signed out too early for that.
  if (idleMs >= timeout * minuteMs + lastSeenWrittenMs) return refusals.idle(timeout)
  return null
}

function toCaller(sessionId: string, { email, personId, account, policies }: Access): Caller {
  return {
    email,
    personId,
    sessionId,
    account,
    can: (action, request) => isAllowed(policies, action, request),
  }
}

/**
 * Requests that come with the same key while a look-up is under way share the next one. It starts after the last of
 * them came, so each gets an answer as fresh as one of its own, and a busy session costs hardly more than a quiet one.
 */
function sharingTheNext<Key extends unknown[], Answer>(
  keyOf: (...key: Key) => string,
  ask: (...key: Key) => Promise<Answer>,
): (...key: Key) => Promise<Answer> {
  const underWay = new Map<string, { ended: Promise<unknown>; next: Promise<Answer> | null }>()
  const start = (name: string, key: Key): Promise<Answer> => {
    const answer = ask(...key)
    const ended = answer.catch(() => {}).finally(() => underWay.delete(name))
    underWay.set(name, { ended, next: null })
    return answer
  }
  return (...key) => {
    const name = keyOf(...key)
    const running = underWay.get(name)
    if (!running) return start(name, key)
    return (running.next ??= running.ended.then(() => start(name, key)))
  }
}
