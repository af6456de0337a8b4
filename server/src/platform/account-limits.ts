import type { AccountId } from '@portico/contract/accounts'
import { accountLimits, type LimitedThing, limitInWords } from '@portico/contract/account-limits'
import type { Transaction } from 'kysely'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'

/** Returns how many more may be created; 0 where an earlier release has let in too many. */
export const roomFor = (thing: LimitedThing, count: number): number => Math.max(0, accountLimits[thing].most - count)

/**
 * Refuses to create one more when the limit is reached. Call it in the transaction that creates the thing, under a
 * lock.
 * @param count how many exist; those that belong to no account (`isGlobal`) are counted separately
 * @throws limit_reached
 */
export function requireRoom(thing: LimitedThing, count: number, { isGlobal = false } = {}): void {
  if (roomFor(thing, count) === 0) throw new AppError('limit_reached', undefined, limitInWords(thing, isGlobal))
}

/** Things that have no account lock of their own when they are created. */
type CountedThing = Extract<LimitedThing, Parameters<typeof accountLock>[0]>

/**
 * Runs `work`, which creates one more thing, in a transaction if there is room for it. Others who create one in this
 * account wait until it ends.
 * @throws limit_reached, unavailable
 */
export function withRoom<T>(
  db: Db,
  account: AccountId,
  thing: CountedThing,
  count: (tx: Db, account: AccountId) => Promise<number>,
  work: (tx: Transaction<object>) => Promise<T>,
): Promise<T> {
  return withLock(db, accountLock(thing, account), async (tx) => {
    requireRoom(thing, await count(tx, account))
    return work(tx)
  })
}
