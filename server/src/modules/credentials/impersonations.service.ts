import { type Impersonation, impersonationFlags, nameOfEntry } from '@portico/contract/impersonation'
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
 * The names in a comma list. Older clients write commas that a name holds as they are: only an entry that is no name the
 * caller holds is taken together with those after it, as many as make one.
 * @throws invalid_input for a name that the caller does not hold
 */
export function chosenPolicies(list: string, held: readonly string[]): string[] {
  const names = new Set([...held, ...impersonationFlags].map((name) => name.toLowerCase()))
  const isName = (text: string): boolean => names.has(text.trim().toLowerCase())
  const entries = list.split(',')
  const chosen: string[] = []
  for (let [entry] = entries; entry !== undefined; [entry] = entries) {
    const one = [nameOfEntry(entry), entry].find(isName)
    const ends = entries.map((_, index) => entries.length - index)
    const end = one === undefined ? ends.find((count) => isName(entries.slice(0, count).join(','))) : 1
    if (end === undefined) throw invalidField('policies', `${messages.notAllowed} You do not hold "${entry}".`)
    const run = entries.splice(0, end).join(',')
    chosen.push((one ?? run).trim())
  }
  return [...new Set(chosen)]
}
