import type { AccountId } from '@portico/contract/accounts'
import { noteEvents } from '#accounts'
import { type NewEvent, recordEvents } from '#contacts'
import { AppError } from '#platform/app-error.ts'
import { type Db, isLockTimeout } from '#platform/database.ts'
import { createLockedAccounts, withShortWaits } from '#platform/strangers/locked-accounts.ts'
import { createHoldings } from '#platform/waits/holdings.ts'
import { createShares } from '#platform/waits/shares.ts'

/**
 * Writes events of visitors. Requests that arrive while events of the same account are being written share the next
 * statement.
 */
export type EventWriter = {
  /**
   * Resolves once the events are committed.
   * @throws unavailable if too many are waiting, of the account or of all, or if the tables of the account are locked
   */
  write: (account: AccountId, events: readonly NewEvent[]) => Promise<void>
}

type Waiting = { events: readonly NewEvent[]; done: () => void; fail: (error: unknown) => void }

// About a second's work, and 50 MB at most.
const mostWaiting = 20_000
// Leaves room for others while the account's events cannot be written.
const mostOfAccount = mostWaiting / 2
// The events of one statement.
const eventsAtOnce = 1000
// Leaves connections to the portal's users.
const writesAtOnce = 4
// Of all accounts whose tables are locked.
const tries = 2
// For the turn among the accounts.
const waitMs = 10_000

export function createEventWriter(db: Db): EventWriter {
  const queues = new Map<AccountId, Waiting[]>()
  const waiting = createHoldings()
  const places = createShares({ most: writesAtOnce, waitMs })
  const locked = createLockedAccounts({ tries })

  /** One statement at a time of an account, so that it has one place at most. */
  async function writeAll(account: AccountId, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) await writeNext(account, queue)
    queues.delete(account)
  }
  async function writeNext(account: AccountId, queue: Waiting[]): Promise<void> {
    let batch: Waiting[] = []
    try {
      // Before it takes a place, which it would keep from others.
      await locked.run(account, async () => {
        const free = await places.take('all', undefined)
        try {
          batch = takeBatch(queue)
          await writeBatch(db, account, batch)
        } finally {
          free()
        }
      })
    } catch (error) {
      if (batch.length === 0) batch = takeBatch(queue)
      // Without effect on those that are written.
      for (const { fail } of batch) fail(error)
    }
  }
  return {
    async write(account, events) {
      const refusal = (): AppError => new AppError('unavailable')
      const claims = [
        { party: String(account), most: mostOfAccount, refusal },
        { party: 'all', most: mostWaiting, refusal },
      ]
      const end = waiting.take(claims, events.length)
      try {
        await new Promise<void>((done, fail) => {
          const queue = queues.get(account)
          if (queue) return void queue.push({ events, done, fail })
          const fresh = [{ events, done, fail }]
          queues.set(account, fresh)
          void writeAll(account, fresh)
        })
      } finally {
        end()
      }
    },
  }
}

/** Takes the first requests of a queue that fit into one statement, at least one. */
function takeBatch(queue: Waiting[]): Waiting[] {
  let events = 0
  const fits = queue.findIndex((one) => (events += one.events.length) > eventsAtOnce)
  return queue.splice(0, fits === -1 ? queue.length : Math.max(1, fits))
}

/** @throws what fails all of the requests: a lock that others hold, or the error of a single one */
async function writeBatch(db: Db, account: AccountId, batch: readonly Waiting[]): Promise<void> {
  try {
    await writeEvents(
      db,
      account,
      batch.flatMap(({ events }) => events),
    )
    for (const { done } of batch) done()
  } catch (error) {
    if (batch.length === 1 || isLockTimeout(error)) throw error
    // The events of a single request may be the cause, so each is retried by itself.
    for (const one of batch) await writeAlone(db, account, one)
  }
}

async function writeAlone(db: Db, account: AccountId, { events, done, fail }: Waiting): Promise<void> {
  try {
    await writeEvents(db, account, events)
    done()
  } catch (error) {
    fail(error)
    if (isLockTimeout(error)) throw error
  }
}

async function writeEvents(db: Db, account: AccountId, events: readonly NewEvent[]): Promise<void> {
  await withShortWaits(db, (tx) => recordEvents(tx, account, events))
  await noteEvents(db, account)
}
