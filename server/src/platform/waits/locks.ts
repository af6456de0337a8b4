import { AsyncLocalStorage } from 'node:async_hooks'
import { type Kysely, type KyselyPlugin, sql, type Transaction } from 'kysely'
import { AppError } from '#platform/app-error.ts'
import { type Db, isLockTimeout } from '#platform/database.ts'
import { createHoldings } from './holdings.ts'
import { isPortalWide } from './lock-keys.ts'
import { beneficiaryNow } from './reading-limits.ts'
import { createTurns } from './turns.ts'

// Long enough for a queue of changes that each take milliseconds, short enough for a person to see the answer.
const mostWaitMs = 10_000
// The work under a lock takes milliseconds. This ends one that has gone wrong, so that it cannot stop all others.
const mostHeldMs = 30_000
// Each of them holds a connection. Those of one person leave room for others.
const mostWaitingInTransactions = 4
const mostOfPersonInTransactions = 2

const busy = 'Others are making changes right now. Try again in a moment.'

/** Returns the error for a lock that is held by something else for too long. */
export function lockBusy(cause?: unknown): AppError {
  return new AppError('unavailable', undefined, busy, { cause })
}

type Holding = { key: bigint; outer: Holding | undefined }
const held = new AsyncLocalStorage<Holding>()
const turns = createTurns()
const waitingInTransactions = createHoldings()

/**
 * Runs `work` in a transaction while no other process and no other request runs work under the lock `key`, the number
 * of an advisory lock. Joins a transaction that is already open, whose end then frees the lock.
 *
 * Regardless of how long the lock is held, callers of one process occupy one connection: the others wait in memory, for
 * at most ten seconds. There, accounts take turns, and a person has only a few places where all wait (ADR 0158). Work that takes more than `heldMs` (30 seconds; in a joined transaction, unlimited unless given)
 * fails with its next statement, which releases the lock.
 * @throws unavailable, too_many_requests
 */
export async function withLock<T>(
  db: Db,
  key: bigint,
  work: (tx: Transaction<object>) => Promise<T>,
  limits: { waitMs?: number; heldMs?: number } = {},
): Promise<T> {
  const { waitMs = mostWaitMs, heldMs = mostHeldMs } = limits
  const until = performance.now() + waitMs
  if (db.isTransaction) {
    // Joined: its connection waits, unless it already holds the lock.
    const tx = db as Transaction<object>
    if (!isHeld(key)) await takeInTransaction(tx, key, until)
    return held.run({ key, outer: held.getStore() }, () =>
      work(limits.heldMs === undefined ? tx : endedAfter(tx, heldMs)),
    )
  }
  // It would wait for itself.
  if (isHeld(key)) throw new Error(`The lock ${key} is taken within itself: pass the transaction on.`)
  const release = await turns.take(key, waitMs, { isPortalWide: isPortalWide(key) })
  if (!release) throw lockBusy()
  let over: NodeJS.Timeout | undefined
  try {
    return await (db as Kysely<object>).transaction().execute(async (tx) => {
      await take(tx, key, until, heldMs)
      // Work that hangs outside of the database must not keep the line; the database ends its transaction.
      over = setTimeout(release, heldMs)
      return held.run({ key, outer: held.getStore() }, () => work(endedAfter(tx, heldMs)))
    })
  } finally {
    clearTimeout(over)
    release()
  }
}

function isHeld(key: bigint): boolean {
  for (let one = held.getStore(); one; one = one.outer) if (one.key === key) return true
  return false
}

async function takeInTransaction(tx: Db, key: bigint, until: number): Promise<void> {
  const person = beneficiaryNow()?.person
  const leave = waitingInTransactions.take([
    { party: 'all', most: mostWaitingInTransactions, refusal: lockBusy },
    ...(person === undefined
      ? []
      : [{ party: `person ${person}`, most: mostOfPersonInTransactions, refusal: lockBusy }]),
  ])
  try {
    await take(tx, key, until, null)
  } finally {
    leave()
  }
}

async function take(tx: Db, key: bigint, until: number, idleMs: number | null): Promise<void> {
  // Zero would mean no limit.
  const leftMs = Math.max(1, Math.ceil(until - performance.now()))
  const idle =
    idleMs === null ? sql`` : sql`, set_config('idle_in_transaction_session_timeout', ${`${idleMs}ms`}, true)`
  await sql`SELECT set_config('lock_timeout', ${`${leftMs}ms`}, true)${idle}`.execute(tx)
  try {
    await sql`SELECT pg_advisory_xact_lock(${String(key)}::bigint)`.execute(tx)
  } catch (error) {
    throw isLockTimeout(error) ? lockBusy(error) : error
  }
}

/** Returns the transaction, with statements refused once the time is over. */
function endedAfter(tx: Transaction<object>, ms: number): Transaction<object> {
  const end = performance.now() + ms
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (performance.now() > end) throw lockBusy(new Error('Work under a lock took too long.'))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return tx.withPlugin(plugin)
}
