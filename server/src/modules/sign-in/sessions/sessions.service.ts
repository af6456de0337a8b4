import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { accountsOf, type AccessRefusal, toAccess, toCaller } from '#access'
import { selectSession, type SessionRow } from './session-access.queries.ts'
import { coalesce } from '#platform/coalesce.ts'
import {
  deleteExpiredSessions,
  insertSession,
  updateLastSeen,
  updateRevoked,
  updateSessionsRevoked,
} from './sessions.queries.ts'

const minuteMs = 60_000
const longestSessionMs = 12 * 60 * minuteMs
// A session's row is kept for a while after its end, to report why it ended.
const endedSessionKeptMs = 7 * 24 * 60 * minuteMs
// Each request is activity, but one write a minute is enough to know of it.
const lastSeenWrittenMs = minuteMs

const refusals = {
  unknown: 'Your session has ended. Please sign in again.',
  expired: 'You were signed out after 12 hours. Please sign in again.',
  idle: (minutes: number) => `You were signed out after ${minutes} minutes without activity. Please sign in again.`,
  noAccess: 'You no longer have access to this account. Please sign in again.',
}

const signedOut = (message: string): AccessRefusal => ({ code: 'not_signed_in', message })
export const sessionExpired = signedOut(refusals.expired)
export const sessionUnknown = signedOut(refusals.unknown)

/** Starts a session, and deletes the person's sessions that ended long ago. */
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

/** Ends all sessions of a person. Returns how many. */
export async function endSessionsOf(db: Db, personId: string): Promise<number> {
  return updateSessionsRevoked(db, personId, null, new Date())
}

/**
 * Returns the caller for the token of a session, or why it is refused. Records activity of the session, except for
 * requests that a page makes by itself.
 */
export function createSessionAuthentication(database: Database) {
  const lookUp = coalesce(
    (sessionId: string, account: AccountId | null) => `${sessionId} ${account}`,
    (sessionId, account) => selectSession(database.pool, sessionId, account),
  )
  return async (
    sessionId: string,
    account: AccountId | null,
    { address, isPassive }: { address: string; isPassive: boolean },
  ): Promise<Caller | AccessRefusal> => {
    const session = await lookUp(sessionId, account)
    if (!session || session.revoked_at) return sessionUnknown
    const now = new Date()
    const access = toAccess(session, { at: now, address })
    const ended = endOf(session, access.preferences.timeout, now)
    if (ended) return ended
    // Judged at every request: removal from an account, or a limit, takes effect at once.
    const refusal = account === null || access.mayEnter ? null : (access.refusal ?? signedOut(refusals.noAccess))
    // Without a required two-factor the caller is treated as before choosing an account: they can only set it up.
    const requirement = refusal?.code === 'two_factor_needed' ? refusal : null
    if (refusal && !requirement) return refusal
    if (account === null) {
      const nowhere = await refusalEverywhere(database.db, access.personId, address)
      if (nowhere) return nowhere
    }
    if (!isPassive && now.getTime() - session.last_seen_at.getTime() >= lastSeenWrittenMs) {
      await updateLastSeen(database.db, sessionId, now)
    }
    return toCaller(access, { kind: 'session', sessionId, requirement })
  }
}

/** Before an account is chosen there must be one that the person may enter now. Returns null if there is. */
async function refusalEverywhere(db: Db, personId: string, address: string): Promise<AccessRefusal | null> {
  try {
    await accountsOf(db, personId, { address })
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'outside_limits') return { code: error.code, message: error.message }
    return signedOut(refusals.noAccess)
  }
}

function endOf(session: SessionRow, timeoutMinutes: number, now: Date): AccessRefusal | null {
  const idleMs = now.getTime() - session.last_seen_at.getTime()
  if (session.expires_at <= now) return sessionExpired
  // The last request may have been up to a minute after the last one noted; so the timeout starts a minute later.
  if (idleMs >= timeoutMinutes * minuteMs + lastSeenWrittenMs) return signedOut(refusals.idle(timeoutMinutes))
  return null
}
