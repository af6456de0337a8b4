import type { AccountId } from '@portico/contract/accounts'
import type { CallRefusal } from '@portico/contract/remote-access'
import { refusedOriginsKept } from '@portico/contract/remote-access/rules'
import { BoundedMap } from '#platform/memory/bounded-map.ts'
import type { Db } from '#platform/database.ts'
import { withShortWaits } from '#platform/strangers/locked-accounts.ts'
import type { Logger } from '#platform/log.ts'
import type { CallFigures } from '../tables.ts'
import { addToDays, type CountedCalls, rememberOrigins, type RefusedOrigin, updateLastUsed } from './usage.queries.ts'

/** Counts calls of remote accesses in memory and writes the counts every second, so no call waits for that. */
export type UsageCounter = {
  /** Adds to the figures of an access today. */
  count: (account: AccountId, accessId: string, figures: Partial<CallFigures>) => void
  /** Counts a refused call with its origin or address, and the reason. */
  refuse: (account: AccountId, accessId: string, origin: string, refusal: CallRefusal) => void
  /** Writes the counts; also called automatically every second. */
  write: () => Promise<void>
  close: () => Promise<void>
}

type Counted = { days: Map<string, CountedCalls>; origins: BoundedMap<string, RefusedOrigin>; used: Set<string> }

const writeEveryMs = 1000
const none: CallFigures = { served: 0, not_found: 0, several: 0, refused: 0, limited: 0, events: 0, dropped: 0 }

export function createUsageCounter(db: Db, log: Logger): UsageCounter {
  let accounts = new Map<AccountId, Counted>()
  let writing: Promise<void> = Promise.resolve()

  function countedOf(account: AccountId): Counted {
    const known = accounts.get(account) ?? { days: new Map(), origins: new BoundedMap(mostOrigins), used: new Set() }
    accounts.set(account, known)
    return known
  }
  function add(account: AccountId, counted: CountedCalls): void {
    const { days } = countedOf(account)
    const key = `${counted.accessId} ${counted.day}`
    const known = days.get(key)
    if (!known) days.set(key, counted)
    else for (const name of Object.keys(none) as (keyof CallFigures)[]) known[name] += counted[name]
  }
  async function writeAll(): Promise<void> {
    const taken = accounts
    accounts = new Map()
    for (const [account, counted] of taken) {
      try {
        await writeOf(db, account, counted)
      } catch (error) {
        log.warn({ err: error, account }, 'calls of remote accesses could not be counted')
        // Added again next time. An account dropped in the meantime has no accesses left to count for.
        for (const each of counted.days.values()) add(account, each)
      }
    }
  }
  const write = (): Promise<void> => (writing = writing.then(writeAll))
  const timer = setInterval(() => {
    if (accounts.size > 0) void write()
  }, writeEveryMs)
  timer.unref()

  return {
    count(account, accessId, figures) {
      add(account, { ...none, ...figures, accessId, day: today() })
      if (figures.served || figures.events) countedOf(account).used.add(accessId)
    },
    refuse(account, accessId, origin, refusal) {
      add(account, { ...none, refused: 1, accessId, day: today() })
      rememberRefused(countedOf(account).origins, { accessId, origin: origin.slice(0, 300), refusal })
    },
    write,
    async close() {
      clearInterval(timer)
      await write()
    },
  }
}

const today = (): string => new Date().toISOString().slice(0, 10)

// Only the latest ten are kept, and a flood of invented ones must not fill the memory.
const mostOrigins = 10 * refusedOriginsKept

function rememberRefused(
  origins: BoundedMap<string, RefusedOrigin>,
  refused: Pick<RefusedOrigin, 'accessId' | 'origin' | 'refusal'>,
): void {
  const key = JSON.stringify(refused)
  const calls = (origins.get(key)?.calls ?? 0) + 1
  origins.set(key, { ...refused, at: new Date(), calls })
}

async function writeOf(db: Db, account: AccountId, { days, origins, used }: Counted): Promise<void> {
  // The accounts are written one after the other: one whose tables are locked must not hold up the others.
  await withShortWaits(db, (tx) => addToDays(tx, account, [...days.values()]))
  // A later failure loses no figures, and must not cause them to be counted twice.
  days.clear()
  if (used.size > 0) await withShortWaits(db, (tx) => updateLastUsed(tx, account, [...used], new Date()))
  if (origins.size > 0) await withShortWaits(db, (tx) => rememberOrigins(tx, account, [...origins.values()]))
}
