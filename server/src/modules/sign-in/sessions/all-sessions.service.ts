import { recordAudit } from '#audit'
import { revokeAllLinks } from '#credentials'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { updateAllSessionsRevoked } from './sessions.queries.ts'

/**
 * Ends all sessions and impersonation links, for operators who suspect that sessions were stolen. API credentials keep
 * working. Returns the numbers of sessions and links.
 */
export async function endAllSessions(db: Db, by: Actor): Promise<{ ended: number; links: number }> {
  return inTransaction(db, async (tx) => {
    const at = new Date()
    const details = { ended: await updateAllSessionsRevoked(tx, at), links: await revokeAllLinks(tx, at) }
    await recordAudit(tx, { ...by, account: null, action: 'sessions ended', subject: 'all people', details })
    return details
  })
}
