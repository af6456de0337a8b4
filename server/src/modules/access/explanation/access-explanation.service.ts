import type { Explanation } from '@portico/contract/explain'
import type { AccountId } from '@portico/contract/accounts'
import type { Action } from '@portico/contract/route'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { explainAccess } from './access-explanation.ts'
import { selectAccess } from '../evaluator/access.queries.ts'
import { selectPerson } from '#persons'

/** A hypothetical request, its time and address. */
type Question = {
  email: string
  action: string
  params?: string[] | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
  /** ISO 8601; now when omitted. */
  at?: string | undefined
  /** The caller's when omitted. */
  address?: string | undefined
}

/**
 * Explains whether a person may do something in the caller's account. Throws `not_found` when they have no
 * access to it. Access by a global identity alone is visible to power admins only, like these identities.
 */
export async function explain(
  { db, pool }: Database,
  { caller, account, address }: { caller: Caller; account: AccountId; address: string },
  question: Question,
): Promise<Explanation> {
  const person = await selectPerson(db, question.email)
  const row = person && (await selectAccess(pool, account, person.id))
  const isKnown = row?.identities.some((identity) => caller.isPowerAdmin || identity.account !== null)
  if (!row || !isKnown || row.time_zone === null) throw new AppError('not_found')
  const { params = [], query = {}, body = {} } = question
  const { time_zone: timeZone, is_suspended: isSuspended, lacks_two_factor: lacksTwoFactor = false } = row
  return explainAccess({ id: account, timeZone, isSuspended, lacksTwoFactor }, row.identities, {
    email: row.email,
    // The contract has checked that it has three parts.
    action: question.action as Action,
    request: { params, query, body },
    moment: {
      at: question.at === undefined ? new Date() : new Date(question.at),
      address: question.address ?? address,
    },
  })
}
