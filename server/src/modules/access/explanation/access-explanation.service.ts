import type { Explanation } from '@portico/contract/explain'
import type { AccountId } from '@portico/contract/accounts'
import { servicePrefix } from '@portico/contract/identities'
import type { Action } from '@portico/contract/route'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { selectPerson } from '#persons'
import { selectAccess, selectIdentityAccess } from '../evaluator/access.queries.ts'
import type { AccessRow } from '../evaluator/access-sql.ts'
import type { HeldIdentity } from '../evaluator/held-identity.ts'
import { selectServiceIdentity } from '../identities/identities.queries.ts'
import { explainAccess } from './access-explanation.ts'
import { requestAsRead } from './request-as-read.ts'

/** A hypothetical request, its time and address. */
type Question = {
  email: string
  action: string
  params?: string[] | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
  /** ISO 8601; defaults to now. */
  at?: string | undefined
  /** Defaults to the caller's address. */
  address?: string | undefined
}

/**
 * Explains whether a person or a service identity may do something in the caller's account. Global identities are
 * judged for power admins only: others could learn their policies and limits by repeated questions.
 * @throws not_found when the person or service has no access to the account
 */
export async function explain(
  database: Database,
  { caller, account, address }: { caller: Caller; account: AccountId; address: string },
  question: Question,
): Promise<Explanation> {
  const row = await accessRowOf(database, account, question.email)
  const identities = identitiesShown(row, account, caller)
  if (!row || identities.length === 0 || row.time_zone === null) throw new AppError('not_found')
  const { params = [], query = {}, body = {} } = question
  const { time_zone: timeZone, is_suspended: isSuspended, lacks_two_factor: lacksTwoFactor } = row
  return explainAccess({ id: account, timeZone, isSuspended, lacksTwoFactor }, identities, {
    email: row.email,
    hasHiddenPolicies: identities.length < row.identities.length,
    // The contract has checked that it has three parts.
    action: question.action as Action,
    // The contract has checked that it has three parts.
    request: requestAsRead(question.action as Action, { params, query, body }),
    moment: {
      at: question.at === undefined ? new Date() : new Date(question.at),
      address: question.address ?? address,
    },
  })
}

/**
 * Those of a person's identities that give access to the account and may be shown to the caller. Others have the policies,
 * limits and row rules of another account, or of the whole portal, which are for power admins.
 */
export const identitiesShown = (
  row: AccessRow | null,
  account: AccountId,
  { isPowerAdmin }: Pick<Caller, 'isPowerAdmin'>,
): HeldIdentity[] => row?.identities.filter((identity) => isPowerAdmin || identity.account === account) ?? []

/** The identities of a person, by email, or of a service, by its name in the audit log; null if there is none. */
export async function accessRowOf(
  { db, pool }: Database,
  account: AccountId,
  email: string,
): Promise<AccessRow | null> {
  if (email.startsWith(servicePrefix)) {
    const id = await selectServiceIdentity(db, account, email.slice(servicePrefix.length))
    return id === null ? null : selectIdentityAccess(pool, account, id)
  }
  const person = await selectPerson(db, email)
  return person && selectAccess(pool, account, person.id)
}
