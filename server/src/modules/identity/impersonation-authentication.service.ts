import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Refusal } from './access-judgement.ts'
import { selectImpersonation } from './access.queries.ts'
import { toAccess, toUser } from './access.service.ts'
import { toCaller } from './caller.ts'
import { impersonationRights } from './impersonation-rights.ts'
import { updateImpersonationUsed } from './impersonations.queries.ts'
import { isSameAddress } from './limit.ts'
import { coalesce } from './coalesce.ts'

// Each request is a use, but one write a minute is enough to know of it.
const usedWrittenMs = 60_000

const refused = (message: string): Refusal => ({ code: 'not_signed_in', message })
const linkEnded = refused('This link has ended. Please ask for another one.')
const linkLacks = refused('This link rests until its maker has two-factor, which the account asks for.')
export const linkExpired = refused('This link has expired. Please ask for another one.')

/**
 * Says who an impersonation link's token is from, or why it opens nothing (any more). The link is looked up at every
 * request, and so is what its maker may do: taken from the maker, a right is taken from the link. It makes nobody a
 * power admin or power user.
 */
export function createImpersonationAuthentication(database: Database) {
  const lookUp = coalesce(
    (id: string) => id,
    (id) => selectImpersonation(database.pool, id),
  )
  return async (id: string, address: string): Promise<Caller | Refusal> => {
    const link = await lookUp(id)
    if (!link || link.revoked_at) return linkEnded
    const now = new Date()
    if (link.expires_at <= now) return linkExpired
    if (!isSameAddress(link.address, address)) return refused(`This link does not work from your address, ${address}.`)
    const access = toAccess(link, { at: now, address })
    const { account } = access
    // Who opens a link can set up nothing for its maker.
    if (access.refusal?.code === 'two_factor_needed') return linkLacks
    if (account === null || !access.mayEnter) return access.refusal ?? linkEnded
    const before = new Date(now.getTime() - usedWrittenMs)
    if (link.last_used_at === null || link.last_used_at < before) {
      await updateImpersonationUsed(database.db, account, id, { at: now, before })
    }
    const rights = impersonationRights(access.policies, link.chosen)
    const never = { isPowerAdmin: false, isPowerUser: false }
    const user = () => ({
      ...toUser(access),
      ...never,
      policies: rights.names,
      isImpersonated: true,
      impersonatedUntil: link.expires_at.toISOString(),
    })
    return toCaller(access, { kind: 'impersonation', sessionId: id, rights: { ...never, can: rights.can, user } })
  }
}
