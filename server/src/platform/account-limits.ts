import type { AccountId } from '@portico/contract/accounts'
import { accountLimits, type LimitedThing, limitInWords } from '@portico/contract/account-limits'
import type { Transaction } from 'kysely'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'

/** How many more there may be; 0 where an earlier release has let in too many. */
export const roomFor = (thing: LimitedThing, count: number): number => Math.max(0, accountLimits[thing].most - count)

/**
 * For the transaction that makes one more, under a lock that makes others wait.
 * @param count how many there are; those that belong to no account (`isGlobal`) count apart
 * @throws limit_reached
 */
export function requireRoom(thing: LimitedThing, count: number, { isGlobal = false } = {}): void {
  if (roomFor(thing, count) === 0) throw new AppError('limit_reached', undefined, limitInWords(thing, isGlobal))
}

/** Things whose makers have no lock of their own in an account. */
type CountedThing = Extract<LimitedThing, Parameters<typeof accountLock>[0]>

/**
 * Runs `work`, which makes one more, in a transaction if there is room for it. Others that make one in this account wait until it
 * ends.
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
