import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import { errors } from '@portico/contract/errors'
import { AppError } from '#platform/app-error.ts'
import { compareNames } from '#platform/by-name.ts'
import type { Db } from '#platform/database.ts'
import type { Caller, Refusal } from '#platform/http/context.ts'
import { toAccess } from './access.service.ts'
import type { AccessRow } from './access-sql.ts'
import { judgeAccess, type AccessRefusal } from './access-judgement.ts'
import { selectInvitations } from '../identities/places.queries.ts'
import {
  type Entrance,
  type Holder,
  opensAny,
  selectAccountsLackingFactor,
  selectEntrances,
} from './entrances.queries.ts'
import type { Moment } from './limit.ts'

/**
 * Returns the accounts that a person, or one identity, may enter now from this address, by name; empty for a person who
 * only has pending invitations.
 * @throws no_account when there are neither accounts nor invitations; outside_limits when none can be entered at this
 * moment
 */
export async function accountsOf(db: Db, holder: Holder, { address }: { address: string }): Promise<AccountEntry[]> {
  const entrances = await selectEntrances(db, holder)
  if (entrances.length === 0) {
    if ('personId' in holder && (await selectInvitations(db, holder.personId)).length > 0) return []
    throw new AppError('no_account')
  }
  const moment = { at: new Date(), address }
  const judged = [...Map.groupBy(entrances, ({ id }) => id).values()].map((ofAccount) =>
    judgeEntrances(ofAccount, moment),
  )
  const open = judged.flatMap(({ entry, refusal }) => (refusal === null ? [entry] : []))
  if (open.length > 0) return sorted(open)
  const reasons = new Set(judged.flatMap(({ refusal }) => refusal?.message ?? []))
  throw new AppError('outside_limits', undefined, [...reasons].slice(0, 3).join(' '))
}

/**
 * The accounts that a person may enter at some time, from some network: the limits of their identities are not judged.
 * `withGlobal`: whether a global identity counts.
 */
export async function accountsHeld(
  db: Db,
  personId: string,
  { withGlobal }: { withGlobal: boolean },
): Promise<AccountEntry[]> {
  const entrances = await selectEntrances(db, { personId })
  const open = entrances.filter(
    ({ identityAccount, isSuspended, isAdmin }) =>
      (identityAccount !== null || withGlobal) && (!isSuspended || (identityAccount === null && isAdmin)),
  )
  return [...new Map(open.map((entrance) => [entrance.id, entryOf(entrance)])).values()]
}

/** The accounts that the caller may enter now, without a further step of the sign-in, by id. */
export async function enterableAccounts(
  db: Db,
  caller: Caller,
  from: { address: string },
): Promise<ReadonlyMap<AccountId, AccountEntry>> {
  const open = new Map((await accountsOf(db, holderOf(caller), from)).map((entry) => [entry.Key, entry]))
  for (const account of await accountsLackingFactor(db, caller)) open.delete(account)
  return open
}

/** The accounts that require a second factor which the caller has not shown, whether or not they could enter them otherwise. */
export async function accountsLackingFactor(
  db: Db,
  { kind, showsPasskey, personId }: Pick<Caller, 'kind' | 'showsPasskey' | 'personId'>,
): Promise<AccountId[]> {
  return kind === 'session' && !showsPasskey ? selectAccountsLackingFactor(db, personId) : []
}

/**
 * Makes sure that an identity that an administrator gives opens no account that requires a second factor which they have
 * not shown: a password alone would let others in where it does not lead.
 * @throws exceeds_rights
 */
export async function requireOpenToGive(
  db: Db,
  giver: Pick<Caller, 'kind' | 'showsPasskey' | 'personId'>,
  given: { account: AccountId | null; reachesSubAccounts: boolean },
): Promise<void> {
  if (!(await opensAny(db, given, await accountsLackingFactor(db, giver)))) return
  const message =
    'This gives access to an account that requires two-factor authentication. Set it up, or sign in with your passkey, to do this.'
  throw new AppError('exceeds_rights', undefined, message)
}

/**
 * Why one identity of a session does not count in its own account, or in any account if it is global; null if it does.
 * `row` has the identities that the session can use.
 */
export async function identityRefusal(
  db: Db,
  row: AccessRow,
  identityId: string,
  { address }: { address: string },
): Promise<Refusal | null> {
  const identities = row.identities.filter(({ id }) => id === identityId)
  if (identities.length === 0) return { code: 'signed_out_of_account', message: errors.signed_out_of_account.text }
  if (row.account_id !== null) {
    const { mayEnter, refusal } = toAccess({ ...row, identities }, { at: new Date(), address })
    return mayEnter ? null : (refusal ?? { code: 'not_signed_in', message: errors.not_signed_in.text })
  }
  try {
    await accountsOf(db, { identityId }, { address })
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, message: error.message }
  }
}

/** An API credential belongs to one identity: a service's, or one of a person who may have several. */
export function holderOf({ kind, personId, sessionId }: Caller): Holder {
  return kind === 'credential' ? { identityId: sessionId } : { personId }
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
    accessToAllSubAccounts: false,
    rowRule: null,
    policies: [],
  }))
  return { entry: entryOf(first), refusal: judgeAccess(first, identities, moment).refusal }
}

const entryOf = ({ id, name, parentId }: Entrance): AccountEntry => ({
  Key: id,
  Value: name,
  ...(parentId !== null && { parent: parentId }),
})

function sorted(accounts: AccountEntry[]): AccountEntry[] {
  return accounts.toSorted((one, other) => compareNames(one.Value, other.Value) || one.Key - other.Key)
}
