import type { AccountId } from '@portico/contract/accounts'
import type { Transaction } from 'kysely'
import { AppError } from '../app-error.ts'
import { type Db, inTransaction, isLockTimeout, setLocally } from '../database.ts'
import { createHoldings } from '../waits/holdings.ts'
import { createShares } from '../waits/shares.ts'

// An import that gives a field another type holds the tables of its account, for minutes if there are many contacts.
// Calls of strangers for this account cannot go on meanwhile, and must not hold the connections of other accounts.

/** A statement was stopped, or not even sent, because the tables of the account are locked or it takes too long. */
export class StatementStopped extends AppError {
  constructor(cause?: unknown) {
    super('unavailable', undefined, undefined, { cause })
  }
}

/** Limits the work of accounts whose tables are locked. */
export type LockedAccounts = {
  /**
   * Runs work on the tables of an account. Once it has waited too long for a lock (`isLockTimeout`), the account's next
   * work is only tried one at a time, and refused at once during a try, until a try gets its locks. Other accounts are
   * not affected, except those that are locked as well: all of them together have `tries` at a time.
   * @throws StatementStopped, unavailable
   */
  run: <T>(account: AccountId, work: () => Promise<T>) => Promise<T>
}

// Longer than a try takes.
const waitMs = 2000

export function createLockedAccounts({ tries }: { tries: number }): LockedAccounts {
  const locked = new Set<AccountId>()
  const trying = createHoldings()
  const places = createShares({ most: tries, waitMs })

  async function runNoting<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      locked.delete(account)
      return result
    } catch (error) {
      if (!isLockTimeout(error)) {
        locked.delete(account)
        throw error
      }
      locked.add(account)
      throw new StatementStopped(error)
    }
  }
  async function tryOne<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    const end = trying.take([{ party: String(account), most: 1, refusal: () => new StatementStopped() }])
    try {
      const free = await places.take('locked', undefined)
      try {
        return await runNoting(account, work)
      } finally {
        free()
      }
    } finally {
      end()
    }
  }
  return { run: (account, work) => (locked.has(account) ? tryOne(account, work) : runNoting(account, work)) }
}

/** Runs `work` in a transaction that waits at most a second for each lock, and else fails (`isLockTimeout`). */
export function withShortWaits<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await setLocally(tx, 'lock_timeout', '1s')
    return work(tx)
  })
}
