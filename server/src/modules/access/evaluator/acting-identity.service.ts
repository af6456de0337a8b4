import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { AppError } from '#platform/app-error.ts'
import type { Caller } from '#platform/http/context.ts'
import { selectAccess, selectIdentityAccess } from './access.queries.ts'
import type { HeldIdentity } from './access-judgement.ts'
import { isAllowed } from './granted-actions.ts'
import { holdsEveryAction, isPowerAdminIdentity } from './power.ts'

/** The rights with which work is done: of a caller, or of an identity whose person is not signed in. */
export type Rights = Pick<Caller, 'personId' | 'email' | 'isPowerAdmin' | 'isPowerUser' | 'can'>

/**
 * The rights of one identity in an account at this moment, for work that it has scheduled; or why it has none, in words
 * for users. Its days, hours and networks are not judged: they were when the work was saved.
 */
export async function actingIdentity(
  pool: pg.Pool,
  account: AccountId,
  identityId: string | null,
): Promise<{ rights: Rights } | { refusal: string }> {
  const row = identityId === null ? null : await selectIdentityAccess(pool, account, identityId)
  const [identity] = row?.identities ?? []
  if (!row || !identity) return { refusal: 'Its author no longer has access to this account.' }
  if (identity.isDisabled) return { refusal: `The identity of ${row.email} is disabled.` }
  if (row.is_suspended && !isPowerAdminIdentity(identity)) return { refusal: 'This account is suspended.' }
  return { rights: rightsOf({ personId: row.person_id, email: row.email }, identity) }
}

/**
 * The identities with which a caller can schedule work, the account's own before a global one: that of their credential,
 * or all of theirs that open the account.
 * @throws not_allowed for impersonation links, which end before the work does
 */
export async function identitiesOfCaller(
  pool: pg.Pool,
  account: AccountId,
  caller: Caller,
): Promise<{ id: string; rights: Rights }[]> {
  if (caller.kind === 'impersonation') {
    throw new AppError('not_allowed', undefined, 'Impersonation links cannot schedule anything. Sign in to do this.')
  }
  if (caller.kind === 'credential') return [{ id: caller.sessionId, rights: caller }]
  const row = await selectAccess(pool, account, caller.personId)
  const enabled = (row?.identities ?? []).filter(({ isDisabled }) => !isDisabled)
  return enabled.map((identity) => ({ id: identity.id, rights: rightsOf(caller, identity) }))
}

function rightsOf({ personId, email }: Pick<Rights, 'personId' | 'email'>, identity: HeldIdentity): Rights {
  const isPowerAdmin = isPowerAdminIdentity(identity)
  return {
    personId,
    email,
    isPowerAdmin,
    isPowerUser: !isPowerAdmin && identity.account !== null && holdsEveryAction(identity.policies),
    can: (action, request) => isAllowed(identity.policies, action, request),
  }
}
