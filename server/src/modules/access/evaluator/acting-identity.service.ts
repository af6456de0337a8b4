import type { AccountId } from '@portico/contract/accounts'
import type { Action } from '@portico/contract/route'
import type pg from 'pg'
import { AppError } from '#platform/app-error.ts'
import type { Caller, RequestParts } from '#platform/http/context.ts'
import { selectAccess, selectIdentityAccess } from './access.queries.ts'
import type { HeldIdentity, HeldPolicy } from './access-judgement.ts'
import { isAllowed } from './granted-actions.ts'
import { holdsEveryAction, isPowerAdminIdentity } from './power.ts'

/** The rights of whoever work is done for: a caller, or an identity while nobody is signed in. */
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
  const isPowerAdmin = isPowerAdminIdentity(identity)
  if (row.is_suspended && !isPowerAdmin) return { refusal: 'This account is suspended.' }
  return {
    rights: {
      personId: row.person_id,
      email: row.email,
      isPowerAdmin,
      isPowerUser: !isPowerAdmin && identity.account !== null && holdsEveryAction(identity.policies),
      can: (action, request) => isAllowed(identity.policies, action, request),
    },
  }
}

/**
 * The id of the identity with which a caller schedules work: that of their credential, or the first of their own that
 * allows `action` by itself, the account's before a global one.
 * @throws not_allowed for impersonation links, which end before the work does
 */
export async function identityOfCaller(
  pool: pg.Pool,
  account: AccountId,
  caller: Caller,
  action: Action,
  request: RequestParts,
): Promise<string> {
  if (caller.kind === 'credential') return caller.sessionId
  if (caller.kind === 'impersonation') {
    throw new AppError('not_allowed', undefined, 'Impersonation links cannot schedule anything. Sign in to do this.')
  }
  const row = await selectAccess(pool, account, caller.personId)
  const enabled = (row?.identities ?? []).filter(({ isDisabled }) => !isDisabled)
  const allows = ({ policies }: Pick<HeldIdentity, 'policies'>): boolean =>
    isAllowed(policies satisfies HeldPolicy[], action, request)
  const identity = enabled.find(allows) ?? enabled[0]
  if (!identity) throw new AppError('not_signed_in')
  return identity.id
}
