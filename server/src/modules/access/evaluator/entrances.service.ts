import type { AccountEntry } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import { compareNames } from '#platform/by-name.ts'
import type { Db } from '#platform/database.ts'
import { judgeAccess, type AccessRefusal } from './access-judgement.ts'
import { type Entrance, selectEntrances } from './entrances.queries.ts'
import type { Moment } from './limit.ts'

/**
 * Returns the accounts that a person may enter now from this address, by name; with `identityId` only those that this
 * identity opens. Throws `no_account` when there are none, `outside_limits` when none can be entered at this moment.
 */
export async function accountsOf(
  db: Db,
  personId: string,
  { address, identityId }: { address: string; identityId?: string },
): Promise<AccountEntry[]> {
  const all = await selectEntrances(db, personId)
  const entrances = all.filter((entrance) => identityId === undefined || entrance.identityId === identityId)
  if (entrances.length === 0) throw new AppError('no_account')
  const moment = { at: new Date(), address }
  const judged = [...Map.groupBy(entrances, ({ id }) => id).values()].map((ofAccount) =>
    judgeEntrances(ofAccount, moment),
  )
  const open = judged.flatMap(({ entry, refusal }) => (refusal === null ? [entry] : []))
  if (open.length > 0) return sorted(open)
  const reasons = new Set(judged.flatMap(({ refusal }) => refusal?.message ?? []))
  throw new AppError('outside_limits', undefined, [...reasons].slice(0, 3).join(' '))
}

function judgeEntrances(entrances: Entrance[], moment: Moment): { entry: AccountEntry; refusal: AccessRefusal | null } {
  const [first] = entrances
  if (!first) throw new Error('an account without entrances')
  const identities = entrances.map((entrance) => ({
    ...entrance,
    id: entrance.identityId,
    account: entrance.identityAccount,
    userName: null,
    isDisabled: false,
    policies: [],
  }))
  const { id, name, parentId } = first
  const entry = { Key: id, Value: name, ...(parentId !== null && { parent: parentId }) }
  return { entry, refusal: judgeAccess(first, identities, moment).refusal }
}

function sorted(accounts: AccountEntry[]): AccountEntry[] {
  return accounts.toSorted((one, other) => compareNames(one.Value, other.Value) || one.Key - other.Key)
}
