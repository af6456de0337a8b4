import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { countUnendedExports } from '#exports'
import { countUnendedImports } from '#imports'
import { AppError } from '#platform/app-error.ts'
import { type Db, setLocally } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { accountLock, portalLock } from '#platform/waits/lock-keys.ts'
import { lockBusy, withLock } from '#platform/waits/locks.ts'
import { readMarks } from './used-fields.service.ts'

/** The locks under which things that name fields are saved. */
const savedByNames = [
  'unendedImports',
  'unendedExports',
  'savedFilters',
  'crons',
  'dashboards',
  'remoteAccesses',
  'customIndexes',
  'importDefaults',
] as const

// The locks that are held already are not kept long from others while the next one is taken.
const attemptMs = 200
const pauseMs = 300
const mostMs = 10_000

// Work that waits for a row fails after as long as it does elsewhere.
const rowWaitMs = 10_000

/**
 * Runs the change while nothing of the account that names fields is saved, except for rights (`underRightsLock`). These
 * locks are taken in one order wherever they are taken together, and concern this account alone, since the work may read
 * all stored texts.
 * @throws unavailable after ten seconds of waiting
 */
export async function underLocks<T>(db: Db, account: AccountId, work: (tx: Db) => Promise<T>): Promise<T> {
  const end = performance.now() + mostMs
  for (;;) {
    let hasBegun = false
    const begin = (tx: Db): Promise<T> => {
      hasBegun = true
      return work(tx)
    }
    try {
      return await takeLocks(db, account, begin)
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'unavailable'
      if (!isBusy || hasBegun || performance.now() > end) throw error
      await sleep(pauseMs)
    }
  }
}

async function takeLocks<T>(db: Db, account: AccountId, work: (tx: Db) => Promise<T>): Promise<T> {
  const keys = savedByNames.map((name) => accountLock(name, account))
  const take = (at: number, held: Db): Promise<T> => {
    const key = keys[at]
    return key === undefined ? begin(held) : withLock(held, key, (tx) => take(at + 1, tx), { waitMs: attemptMs })
  }
  const begin = async (held: Db): Promise<T> => {
    await setLocally(held, 'lock_timeout', `${rowWaitMs}ms`)
    return work(held)
  }
  // First, so that people of one account who change fields at once hold none of the others while they wait.
  return withLock(db, accountLock('fieldChanges', account), (tx) => take(0, tx))
}

/** @throws field_busy while an import or export has not ended: it names fields that it has yet to read */
export async function requireQuiet(tx: Db, account: AccountId): Promise<void> {
  const unended = (await countUnendedImports(tx, account)) + (await countUnendedExports(tx, account))
  if (unended > 0) throw new AppError('field_busy')
}

/** Uses of fields in rights, which are saved under the lock of all rights, and all other uses. */
export const rightsOf = (uses: readonly FieldUses[]): FieldUses[] => uses.filter(({ rights }) => rights !== undefined)
export const othersOf = (uses: readonly FieldUses[]): FieldUses[] => uses.filter(({ rights }) => rights === undefined)

// People of all accounts who change rights wait for this lock. These limits end a hold that takes longer.
const statementMs = 2000
const heldMs = 5000
const mostRounds = 5

class RightsChanged extends Error {}

/**
 * Ends a change of a field in the transaction `tx`: `write` runs under the lock of all rights, which is held until the
 * transaction ends. So nothing but short statements may follow, in `write` and after it. `judge` reads the rights of the
 * account before, without the lock, and again if one has changed until it is taken; `between` runs once, after the
 * first time.
 * @throws unavailable where the lock is not free, or rights change all the time
 */
export async function underRightsLock<Judged, T>(
  { tx, uses }: { tx: Db; uses: readonly FieldUses[] },
  account: AccountId,
  judge: () => Promise<Judged>,
  write: (locked: Db, judged: Judged) => Promise<T>,
  between: () => Promise<void> = async () => {},
): Promise<T> {
  const look = async () => ({ mark: await readMarks(tx, rightsOf(uses), account), judged: await judge() })
  let seen = await look()
  await between()
  for (let round = 0; round < mostRounds; round++) {
    const { mark, judged } = seen
    try {
      // Rolled back, it frees the lock.
      return await inSavepoint(tx, () => {
        const work = async (locked: Db): Promise<T> => {
          await setLocally(locked, 'statement_timeout', `${statementMs}ms`)
          if ((await readMarks(locked, rightsOf(uses), account)) !== mark) throw new RightsChanged()
          return write(locked, judged)
        }
        return withLock(tx, portalLock('access'), work, { heldMs })
      })
    } catch (error) {
      if (!(error instanceof RightsChanged)) throw error
    }
    seen = await look()
  }
  throw lockBusy()
}
