import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { AppError } from '#platform/app-error.ts'
import type { Caller } from '#platform/http/context.ts'
import { selectAccess, selectIdentityAccess } from './access.queries.ts'
import { type Access, toAccess } from './access.service.ts'
import { toCaller } from './caller.ts'
import { type HeldIdentity, policiesHeld } from './access-judgement.ts'
import { holdsEveryAction, isPowerAdminIdentity } from './power.ts'

/**
 * A caller with the rights of one identity in an account at this moment, for work that it has scheduled; or why it has
 * none, in words for users. Its days, hours and networks are not judged: they were when the work was saved.
 */
export async function actingIdentity(
  pool: pg.Pool,
  account: AccountId,
  identityId: string | null,
): Promise<{ caller: Caller } | { refusal: string }> {
  const row = identityId === null ? null : await selectIdentityAccess(pool, account, identityId)
  const [identity] = row?.identities ?? []
  if (!row || !identity) return { refusal: 'Its author no longer has access to this account.' }
  if (identity.isDisabled) return { refusal: `The identity of ${row.email} is disabled.` }
  if (row.is_suspended && !isPowerAdminIdentity(identity)) return { refusal: 'This account is suspended.' }
  return { caller: callerOf(toAccess(row, now()), identity) }
}

/**
 * A caller with all rights of a person in an account at this moment, for links that they have made; or why there is none.
 * Days, hours and networks are not judged: a link is used by others, elsewhere and later.
 */
export async function actingPerson(
  pool: pg.Pool,
  account: AccountId,
  personId: string,
): Promise<{ caller: Caller } | { refusal: string }> {
  const row = await selectAccess(pool, account, personId)
  const held = row?.identities.filter((each) => !each.isDisabled && (!row.is_suspended || isPowerAdminIdentity(each)))
  if (!row || row.account_id === null || !held?.length)
    return { refusal: 'They no longer have access to this account.' }
  const ofAccounts = held.filter((each) => each.account !== null).flatMap(({ policies }) => policies)
  const isPowerAdmin = held.some(isPowerAdminIdentity)
  const isPowerUser = !isPowerAdmin && holdsEveryAction(ofAccounts)
  const access = { ...toAccess(row, now()), policies: policiesHeld(held), isPowerAdmin, isPowerUser }
  return { caller: toCaller(access, { kind: 'session', sessionId: '' }) }
}

/**
 * The identities with which a caller can schedule work, the account's own before a global one: that of their credential,
 * or all of theirs that open the account. Each is a caller with its rights alone.
 * @throws not_allowed for impersonation links, which end before the work does
 */
export async function identitiesOfCaller(
  pool: pg.Pool,
  account: AccountId,
  caller: Caller,
): Promise<{ id: string; caller: Caller }[]> {
  if (caller.kind === 'impersonation') {
    throw new AppError('not_allowed', undefined, 'Impersonation links cannot schedule anything. Sign in to do this.')
  }
  if (caller.kind === 'credential') return [{ id: caller.sessionId, caller }]
  const row = await selectAccess(pool, account, caller.personId)
  if (!row) return []
  const access = toAccess(row, now())
  return row.identities
    .filter(({ isDisabled }) => !isDisabled)
    .map((identity) => ({ id: identity.id, caller: callerOf(access, identity) }))
}

/** Days, hours and networks are not judged with it. */
const now = () => ({ at: new Date(), address: '' })

function callerOf(access: Access, identity: HeldIdentity): Caller {
  const { policies } = identity
  const isPowerAdmin = isPowerAdminIdentity(identity)
  const isPowerUser = !isPowerAdmin && identity.account !== null && holdsEveryAction(policies)
  return toCaller(
    { ...access, policies, isPowerAdmin, isPowerUser },
    {
      kind: 'credential',
      sessionId: identity.id,
      via: { kind: 'cron' },
    },
  )
}
