import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { requireAccount } from '#accounts'
import type { Transaction } from 'kysely'
import type { Db } from '#platform/database.ts'
import { withAccessLock } from './access-lock.queries.ts'
import { inviterOf } from './evaluator/caller.ts'
import type { Holding } from './evaluator/holdings.ts'
import type { AccountContext, Caller } from '#platform/http/context.ts'

/** A power admin or power user working in an account. The route has already checked that the caller is one. */
export type Administrator = {
  account: AccountId
  /** The account whose policies and groups apply: the parent, or the account itself. */
  owner: AccountId
  isSubAccount: boolean
  isPowerAdmin: boolean
  personId: string
  /** How they signed in: accounts that require a second factor may be closed to them. */
  signIn: Pick<Caller, 'kind' | 'showsPasskey' | 'personId'>
  /** The rights that they hold and may therefore give to others. */
  holdings: readonly Holding[]
  by: Actor
  /** Their name in invitations (`inviterOf`). */
  inviter: string
  /** Returns the administrator with their current rights. Throws if they may no longer make this call. */
  now: () => Promise<Administrator>
}

export async function administratorOf({
  db,
  account,
  caller,
  actor,
  callerNow,
}: AccountContext): Promise<Administrator> {
  const { parentId } = await requireAccount(db, account)
  const as = (one: Caller): Administrator => ({
    account,
    owner: parentId ?? account,
    isSubAccount: parentId !== null,
    isPowerAdmin: one.isPowerAdmin,
    personId: one.personId,
    signIn: one,
    holdings: one.holdings,
    by: actor,
    inviter: inviterOf(one),
    now: async () => as(await callerNow()),
  })
  return as(caller)
}

/** A person who changes their own items, such as API credentials. */
export type Self = Pick<Caller, 'personId'> & { now: () => Promise<Self> }

export function selfOf({ caller, callerNow }: Pick<AccountContext, 'caller' | 'callerNow'>): Self {
  const as = ({ personId }: Caller): Self => ({ personId, now: async () => as(await callerNow()) })
  return as(caller)
}

/**
 * Runs `work` under the access lock (`withAccessLock`), with the current rights of `asking`: they may have lost some
 * while waiting, since most changes of rights take the same lock.
 */
export async function withAccessLockAs<Self extends { now: () => Promise<Self> }, T>(
  db: Db,
  asking: Self,
  work: (tx: Transaction<object>, self: Self) => Promise<T>,
): Promise<T> {
  return withAccessLock(db, async (tx) => work(tx, await asking.now()))
}

/**
 * The same for work on an item that exists: `find` reads it, once before the lock, so that calls about unknown items do
 * not make others wait for it, and again under the lock, with the rights of then.
 * @throws what `find` throws, such as not_found
 */
export async function withAccessLockOn<Self extends { now: () => Promise<Self> }, Item, T>(
  db: Db,
  asking: Self,
  find: (db: Db, self: Self) => Promise<Item>,
  work: (tx: Transaction<object>, self: Self, item: Item) => Promise<T>,
): Promise<T> {
  await find(db, asking)
  return withAccessLockAs(db, asking, async (tx, self) => work(tx, self, await find(tx, self)))
}

/** The owner of an item in the API: '*' when it is global. */
export const ownerOnWire = (owner: AccountId | null): AccountId | '*' => owner ?? '*'
