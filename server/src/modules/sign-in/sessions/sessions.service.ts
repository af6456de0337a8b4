import { errors } from '@portico/contract/errors'
import type { AccountId } from '@portico/contract/accounts'
import { AppError, sessionEnded } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { accountsOf, type AccessRefusal, heldPoliciesOf, toAccess, toCaller } from '#access'
import { selectSession, type SessionRow } from './session-access.queries.ts'
import { coalesce } from '#platform/coalesce.ts'
import {
  countSessions,
  deleteExpiredSessions,
  insertSession,
  updateLastSeen,
  updateRevoked,
  updateSessionsRevoked,
} from './sessions.queries.ts'

const minuteMs = 60_000
const longestSessionMs = 12 * 60 * minuteMs
// Ended sessions are kept for a while, in order to report why they ended.
const endedSessionKeptMs = 7 * 24 * 60 * minuteMs
// Every request is activity, but recording one per minute is precise enough.
const lastSeenWriteIntervalMs = minuteMs

const refusals = {
  expired: 'You were signed out after 12 hours. Please sign in again.',
  idle: (minutes: number) => `You were signed out after ${minutes} minutes without activity. Please sign in again.`,
  noAccess: 'You no longer have access to this account. Please sign in again.',
}

const signedOut = (message: string): AccessRefusal => ({ code: 'not_signed_in', message })
export const sessionExpired = signedOut(refusals.expired)
export const sessionUnknown = signedOut(sessionEnded().message)

/**
 * Starts a session and deletes the person's sessions that ended long ago. `passkeyId`: the passkey that it starts with;
 * null for a password.
 */
export async function startSession(
  db: Db,
  { personId, passkeyId }: { personId: string; passkeyId: string | null },
  from: { address: string; device: string },
): Promise<{ id: string; expiresAt: Date }> {
  const at = new Date()
  const expiresAt = new Date(at.getTime() + longestSessionMs)
  await deleteExpiredSessions(db, personId, new Date(at.getTime() - endedSessionKeptMs))
  // Long enough to identify a browser; a client may send anything.
  const device = from.device.slice(0, 400)
  const id = await insertSession(db, { personId, passkeyId, at, expiresAt, address: from.address, device })
  return { id, expiresAt }
}

export async function endSession(db: Db, id: string): Promise<void> {
  await updateRevoked(db, id, new Date())
}

/** Ends all sessions of a person. Returns their number. */
export async function endSessionsOf(db: Db, personId: string): Promise<number> {
  return updateSessionsRevoked(db, personId, null, new Date())
}

/**
 * Returns the caller for a session token, or the refusal. Records activity of the session, except for automatic
 * requests of a page.
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
    // Checked on every request, so removal from an account or a new limit takes effect immediately.
    const refusal =
      account === null || access.mayEnter
        ? null
        : (access.refusal ?? (await noAccess(database.pool, account, access.personId)))
    // A caller who lacks required two-factor has the same access as before choosing an account: they can only set it
    // up.
    const requirement = refusal?.code === 'two_factor_needed' ? refusal : null
    if (refusal && !requirement) return refusal
    if (account === null) {
      const entryRefusal = await refusalEverywhere(database.db, access.personId, address)
      if (entryRefusal) return entryRefusal
    }
    if (!isPassive && now.getTime() - session.last_seen_at.getTime() >= lastSeenWriteIntervalMs) {
      await updateLastSeen(database.db, sessionId, now)
    }
    const holder = { kind: 'session' as const, person: access.personId }
    return toCaller(access, { kind: 'session', sessionId, holder, showsPasskey: session.shows_passkey, requirement })
  }
}

/**
 * Whether a person whose session opens no identity in the account does have one there, which means that an
 * administrator signed them out.
 */
export async function isSignedOutOf(pool: Database['pool'], account: AccountId, personId: string): Promise<boolean> {
  return (await heldPoliciesOf(pool, account, personId)) !== null
}

/**
 * The number of active sessions of a person that have entered the account and started after `since` (null: at any
 * time).
 */
export async function countSessionsIn(
  db: Db,
  account: AccountId,
  of: { personId: string; since: Date | null },
): Promise<number> {
  return countSessions(db, account, { ...of, now: new Date() })
}

async function noAccess(pool: Database['pool'], account: AccountId, personId: string): Promise<AccessRefusal> {
  if (!(await isSignedOutOf(pool, account, personId))) return signedOut(refusals.noAccess)
  return { code: 'signed_out_of_account', message: errors.signed_out_of_account.text }
}

/** Before an account is chosen: null if there is an account that the person may enter now. */
async function refusalEverywhere(db: Db, personId: string, address: string): Promise<AccessRefusal | null> {
  try {
    await accountsOf(db, { personId }, { address })
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
  // The last request may be up to a minute later than the last one recorded, so the timeout gets a minute more.
  if (idleMs >= timeoutMinutes * minuteMs + lastSeenWriteIntervalMs) return signedOut(refusals.idle(timeoutMinutes))
  return null
}
