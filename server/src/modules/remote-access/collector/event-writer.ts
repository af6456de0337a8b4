import type { AccountId } from '@portico/contract/accounts'
import { noteEvents } from '#accounts'
import { type NewEvent, recordEvents } from '#contacts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'

/**
 * Writes events of visitors. Requests that arrive while events of the same account are being written share the next
 * statement.
 */
export type EventWriter = {
  /**
   * Resolves once the events are committed.
   * @throws unavailable if too many are waiting
   */
  write: (account: AccountId, events: readonly NewEvent[]) => Promise<void>
}

type Waiting = { events: readonly NewEvent[]; done: () => void; fail: (error: unknown) => void }

// About a second's work, and 50 MB at most.
const mostWaiting = 20_000
// The events of one statement.
const eventsAtOnce = 1000
// Leaves connections to the portal's users.
const writesAtOnce = 4

export function createEventWriter(db: Db): EventWriter {
  const queues = new Map<AccountId, Waiting[]>()
  const ready: AccountId[] = []
  let waiting = 0
  let writing = 0

  function startNext(): void {
    while (writing < writesAtOnce) {
      const account = ready.shift()
      if (account === undefined) return
      writing++
      void writeNext(account).finally(() => {
        writing--
        if ((queues.get(account)?.length ?? 0) > 0) ready.push(account)
        else queues.delete(account)
        startNext()
      })
    }
  }
  async function writeNext(account: AccountId): Promise<void> {
    const batch = takeBatch(queues.get(account) ?? [])
    waiting -= countOf(batch)
    try {
      await writeEvents(
        db,
        account,
        batch.flatMap(({ events }) => events),
      )
      for (const { done } of batch) done()
    } catch (error) {
      // The events of a single request may be the cause, so each is retried by itself.
      if (batch.length === 1) for (const { fail } of batch) fail(error)
      else await Promise.all(batch.map((one) => writeAlone(db, account, one)))
    }
  }
  return {
    write(account, events) {
      if (waiting + events.length > mostWaiting) throw new AppError('unavailable')
      waiting += events.length
      return new Promise((done, fail) => {
        const queue = queues.get(account)
        if (queue) queue.push({ events, done, fail })
        else {
          queues.set(account, [{ events, done, fail }])
          ready.push(account)
        }
        startNext()
      })
    },
  }
}

const countOf = (batch: readonly Waiting[]): number => batch.reduce((sum, { events }) => sum + events.length, 0)

/** Takes the first requests of a queue that fit into one statement, at least one. */
function takeBatch(queue: Waiting[]): Waiting[] {
  let events = 0
  const fits = queue.findIndex((one) => (events += one.events.length) > eventsAtOnce)
  return queue.splice(0, fits === -1 ? queue.length : Math.max(1, fits))
}

async function writeAlone(db: Db, account: AccountId, { events, done, fail }: Waiting): Promise<void> {
  try {
    await writeEvents(db, account, events)
    done()
  } catch (error) {
    fail(error)
  }
}

async function writeEvents(db: Db, account: AccountId, events: readonly NewEvent[]): Promise<void> {
  await recordEvents(db, account, events)
  await noteEvents(db, account)
}
