import { type Impersonation, impersonationFlags } from '@portico/contract/impersonation'
import type { AccountId } from '@portico/contract/identity'
import { messages } from '@portico/contract/messages'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { selectImpersonations } from './impersonations.queries.ts'

/** The links of the account that still work, newest first. */
export async function listImpersonations(db: Db, account: AccountId): Promise<Impersonation[]> {
  const rows = await selectImpersonations(db, account, new Date())
  return rows.map((row) => ({
    _id: row.id,
    creator: row.email,
    ip: row.address,
    policies: row.policies,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }))
}

/**
 * The names in a comma list. A policy's name may hold commas itself, so the longest run of pieces that is a name the
 * caller holds counts as one.
 * @throws invalid_input for a name that the caller does not hold
 */
export function chosenPolicies(list: string, held: readonly string[]): string[] {
  const names = new Set([...held, ...impersonationFlags].map((name) => name.toLowerCase()))
  const pieces = list.split(',')
  const chosen: string[] = []
  while (pieces.length > 0) {
    const ends = pieces.map((_, index) => pieces.length - index)
    const end = ends.find((count) => names.has(pieces.slice(0, count).join(',').trim().toLowerCase()))
    if (end === undefined) throw invalidField('policies', `${messages.notAllowed} You do not hold "${pieces[0]}".`)
    chosen.push(pieces.splice(0, end).join(',').trim())
  }
  return [...new Set(chosen)]
}
