import type { AccountId } from '@portico/contract/identity'
import { AppError } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Refusal } from './access-judgement.ts'
import { type SessionRow, selectSession } from './access.queries.ts'
import { toAccess } from './access.service.ts'
import { accountsOf } from './accounts.service.ts'
import { toCaller } from './caller.ts'
import { coalesce } from './coalesce.ts'
import { deleteExpiredSessions, insertSession, updateLastSeen, updateRevoked } from './sessions.queries.ts'

const minuteMs = 60_000
const longestSessionMs = 12 * 60 * minuteMs
// A session's row stays a while after its end, so that its owner is told why it ended.
const endedSessionKeptMs = 7 * 24 * 60 * minuteMs
// Each request is activity, but one write a minute is enough to know of it.
const lastSeenWrittenMs = minuteMs

const refusals = {
  unknown: 'Your session has ended. Please sign in again.',
  expired: 'You were signed out after 12 hours. Please sign in again.',
  idle: (minutes: number) => `You were signed out after ${minutes} minutes without activity. Please sign in again.`,
  noAccess: 'You no longer have access to this account. Please sign in again.',
}

const signedOut = (message: string): Refusal => ({ code: 'not_signed_in', message })
export const sessionExpired = signedOut(refusals.expired)
export const sessionUnknown = signedOut(refusals.unknown)

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

/**
 * Says who a session's token is from, or why it opens nothing (any more), and notes that the session was used, but for
 * what a page asks by itself.
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
  ): Promise<Caller | Refusal> => {
    const session = await lookUp(sessionId, account)
    if (!session || session.revoked_at) return sessionUnknown
    const now = new Date()
    const access = toAccess(session, { at: now, address })
    const ended = endOf(session, access.preferences.timeout, now)
    if (ended) return ended
    // Judged at every request: whoever is taken out of an account, or comes at the wrong time, is out at once.
    const refusal = account === null || access.mayEnter ? null : (access.refusal ?? signedOut(refusals.noAccess))
    // Whoever lacks two-factor is as before an account is chosen: they can set it up, and nothing else.
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

/** Before an account is chosen there has to be one that may be entered now. */
async function refusalEverywhere(db: Db, personId: string, address: string): Promise<Refusal | null> {
  try {
    await accountsOf(db, personId, { address })
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'outside_limits') return { code: error.code, message: error.message }
    return signedOut(refusals.noAccess)
  }
}

function endOf(session: SessionRow, timeoutMinutes: number, now: Date): Refusal | null {
  const idleMs = now.getTime() - session.last_seen_at.getTime()
  if (session.expires_at <= now) return sessionExpired
  // The last request may have been up to a minute after the last one noted; nobody is signed out too early for that.
  if (idleMs >= timeoutMinutes * minuteMs + lastSeenWrittenMs) return signedOut(refusals.idle(timeoutMinutes))
  return null
}
