import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import {
  type AccessRefusal,
  type Acting,
  actingPerson,
  type HeldIdentity,
  heldPoliciesOf,
  heldWithoutLimits,
  isSameAddress,
  toAccess,
  toCaller,
  toUser,
  visibleRows,
} from '#access'
import { type ImpersonationAccessRow, selectImpersonation } from './impersonation-access.queries.ts'
import { impersonationRights } from './impersonation-rights.ts'
import { updateImpersonationUsed } from './impersonations.queries.ts'
import { coalesce } from '#platform/coalesce.ts'

// Every request is a use, but recording one per minute is precise enough.
const usedWriteIntervalMs = 60_000

const refused = (message: string): AccessRefusal => ({ code: 'not_signed_in', message })
const linkEnded = refused('This link is no longer valid. Please ask for a new one.')
const linkSuspended = refused(
  'This link is suspended until its creator sets up two-factor, which the account requires.',
)
export const linkExpired = refused('This link has expired. Please ask for a new one.')

const chosenIn = ({ chosen, policy_ids: policyIds }: ImpersonationAccessRow) => ({ chosen, policyIds })

/** The contacts that the creator's identities may see, each only where the link has its rights. */
function rowsOfLink(identities: readonly HeldIdentity[], link: ImpersonationAccessRow): Caller['rows'] {
  const granting = identities.map(({ policies, rowRule }) => ({
    rowRule,
    grants: impersonationRights(policies, chosenIn(link)).can,
  }))
  return (right, request) => visibleRows(granting, right, request)
}

const neverAdministrator = { isPowerAdmin: false, isPowerUser: false, administers: () => false, holdings: [] }

/**
 * Returns the caller for the token of an impersonation link, or the refusal. The link and its creator's rights are read
 * on every request, so the link loses every right that its creator loses. A link never makes its holder a power admin
 * or power user.
 */
export function createImpersonationAuthentication(database: Database) {
  const lookUp = coalesce(
    (id: string) => id,
    (id) => selectImpersonation(database.pool, id),
  )
  return async (id: string, address: string): Promise<Caller | AccessRefusal> => {
    const link = await lookUp(id)
    if (!link || link.revoked_at) return linkEnded
    const now = new Date()
    if (link.expires_at <= now) return linkExpired
    if (!isSameAddress(link.address, address)) return refused(`This link does not work from your address, ${address}.`)
    const access = toAccess(link, { at: now, address })
    const { account } = access
    // The holder of a link cannot set up two-factor for its creator.
    if (access.refusal?.code === 'two_factor_needed') return linkSuspended
    if (account === null || !access.mayEnter) return access.refusal ?? linkEnded
    const before = new Date(now.getTime() - usedWriteIntervalMs)
    if (link.last_used_at === null || link.last_used_at < before) {
      await updateImpersonationUsed(database.db, account, id, { at: now, before })
    }
    const rights = impersonationRights(access.policies, chosenIn(link))
    const rows = rowsOfLink(access.identities, link)
    const user = () => ({
      ...toUser(access),
      isPowerAdmin: false,
      isPowerUser: false,
      policies: rights.names,
      isImpersonated: true,
      impersonatedUntil: link.expires_at.toISOString(),
    })
    const via = { kind: 'impersonation' as const, name: access.email }
    const holder = { kind: 'impersonation' as const, link: id }
    return toCaller(access, {
      kind: 'impersonation',
      sessionId: id,
      holder,
      via,
      rights: { ...neverAdministrator, can: rights.can, user, rows },
    })
  }
}

/**
 * A caller with the current rights of an impersonation link, for signed links created through it, or the reason why
 * there is none. Addresses, days and hours are not judged.
 */
export async function actingLink(pool: pg.Pool, account: AccountId, id: string): Promise<Acting> {
  const link = await selectImpersonation(pool, id)
  const now = new Date()
  if (!link || link.revoked_at || link.expires_at <= now || link.account_id !== account) {
    return { refusal: linkEnded.message }
  }
  const creator = await actingPerson(pool, account, link.person_id)
  if ('refusal' in creator) return creator
  const policies = (await heldPoliciesOf(pool, account, link.person_id)) ?? []
  const { can } = impersonationRights(policies, chosenIn(link))
  const rows = rowsOfLink(heldWithoutLimits(link), link)
  const rights = { ...neverAdministrator, can, user: creator.caller.user, rows }
  const holder = { kind: 'impersonation' as const, link: id }
  const access = toAccess(link, { at: now, address: '' })
  return { caller: toCaller(access, { kind: 'impersonation', sessionId: id, holder, rights }) }
}
