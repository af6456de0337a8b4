import {
  selectSessionsOfPerson,
  type SessionOfPerson,
  updateOwnSessionRevoked,
  updateSessionsRevoked,
} from './sessions.queries.ts'
import type { OwnSession } from '@portico/contract/own-account'
import { timeoutMinutes } from '@portico/contract/preferences'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { deviceInWords } from './device.ts'
import { requireConfirmedPassword } from '../passwords/password-confirmation.service.ts'
import { recordForPerson } from '#access'
import { revokeLinksOf, revokeLinksOfSessions } from '#credentials'
import { isUuid } from '#platform/ids.ts'

type Self = Pick<Caller, 'kind' | 'personId' | 'email' | 'sessionId'>

// A session idle for longer has timed out in every account. The last request may be a minute later than recorded.
const longestIdleMs = (Math.max(...timeoutMinutes) + 1) * 60_000

/** The active sessions of a person with their devices in words, the latest activity first. */
export async function listSessionsOf(db: Db, personId: string): Promise<SessionOfPerson[]> {
  const now = new Date()
  const seenSince = new Date(now.getTime() - longestIdleMs)
  const sessions = await selectSessionsOfPerson(db, personId, { now, seenSince })
  return sessions.map((session) => ({ ...session, device: asFirstWord(deviceInWords(session.device)) }))
}

/** The caller's active sessions, the current one first, then by last activity. */
export async function listOwnSessions(db: Db, { personId, sessionId }: Self): Promise<OwnSession[]> {
  const sessions = await listSessionsOf(db, personId)
  return sessions
    .map(({ id, device, address, createdAt, lastSeenAt, expiresAt }) => ({
      _id: id,
      device,
      address,
      createdAt: createdAt.toISOString(),
      lastSeenAt: lastSeenAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      isCurrent: id === sessionId,
    }))
    .toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent))
}

/**
 * Ends one of the caller's sessions, which may be the current one, and the impersonation links that were created in it.
 * @throws password_needed; not_found for a session of another person
 */
export async function endOwnSession(db: Db, self: Self, id: string, by: Actor): Promise<null> {
  await requireConfirmedPassword(db, self)
  await inTransaction(db, async (tx) => {
    const endedLinks = isUuid(id) ? await revokeLinksOfSessions(tx, self.personId, [id]) : 0
    const hasEnded = isUuid(id) && (await updateOwnSessionRevoked(tx, self.personId, id, new Date()))
    if (!hasEnded) throw new AppError('not_found')
    await record(tx, self, { action: 'session ended', details: { session: id, endedLinks } }, by)
  })
  return null
}

/**
 * Ends all of the caller's sessions except the current one, and the impersonation links that they created: another person
 * could have made one to stay. Throws `password_needed`.
 */
export async function endOtherSessions(db: Db, self: Self, by: Actor): Promise<{ ended: number; endedLinks: number }> {
  await requireConfirmedPassword(db, self)
  return inTransaction(db, async (tx) => {
    const endedLinks = await revokeLinksOf(tx, null, self.personId)
    const ended = await updateSessionsRevoked(tx, self.personId, self.sessionId, new Date())
    if (ended + endedLinks > 0)
      await record(tx, self, { action: 'other sessions ended', details: { ended, endedLinks } }, by)
    return { ended, endedLinks }
  })
}

function record(
  tx: Db,
  { personId, email }: Self,
  entry: { action: string; details: Record<string, unknown> },
  by: Actor,
): Promise<void> {
  return recordForPerson(tx, personId, { ...by, subject: email, ...entry })
}

const asFirstWord = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
