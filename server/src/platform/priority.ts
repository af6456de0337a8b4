import { writeFileSync } from 'node:fs'
import { getPriority, platform, setPriority } from 'node:os'
import type pg from 'pg'
import { processOf } from './database.ts'
import { hasCode } from './embedded-postgres/account.ts'

/** Steps of `nice`: a process this far behind gets about a tenth of a busy core (sched(7)). */
const stepsBehind = 10
const lowest = 19
/** How soon the helpers of a long statement follow it. */
const lookMs = 200

// Of the process, as it was started; a thread that has given way itself must not count from there.
const lowered = Math.min(lowest, getPriority() + stepsBehind)

/** Lets everything of a usual priority go before this thread from now on. */
export function giveWay(): void {
  // Elsewhere threads have no priority of their own, and the call would be for the whole process.
  if (platform() === 'linux') lowerPriority(0)
}

/**
 * Lets everything of a usual priority go before the PostgreSQL processes of this pool, and before the helpers that work for
 * them in parallel. Only for a PostgreSQL on this machine: its processes are known by their ids (ADR 0039).
 */
export function letGiveWay(pool: pg.Pool): void {
  const ours = new Set<number>()
  const behind = new Set<number>()
  const lower = (id: number): void => {
    if (!behind.has(id) && lowerProcess(id)) behind.add(id)
  }
  pool.on('connect', (client) => {
    ours.add(processOf(client))
    lower(processOf(client))
  })
  pool.on('remove', (client) => {
    ours.delete(processOf(client))
    behind.delete(processOf(client))
  })
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking || pool.totalCount === pool.idleCount) return
    isLooking = true
    try {
      const ids = new Set([...ours, ...(await selectHelpers(pool, [...ours]))])
      // The id of a helper that has ended may be given to another process.
      for (const id of behind) if (!ids.has(id)) behind.delete(id)
      ids.forEach(lower)
    } catch {
      // The queries of the worker report a database that does not respond.
    } finally {
      isLooking = false
    }
  }
  setInterval(() => void look(), lookMs).unref()
}

async function selectHelpers(pool: pg.Pool, leaders: number[]): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    'SELECT pid FROM pg_catalog.pg_stat_activity WHERE leader_pid = ANY($1) AND pid <> leader_pid',
    [leaders],
  )
  return rows.map(({ pid }) => pid)
}

/** Returns false if it has to be tried again. */
function lowerProcess(id: number): boolean {
  lowerPriority(id)
  return lowerSession(id)
}

function lowerPriority(id: number): void {
  try {
    setPriority(id, lowered)
  } catch {
    // Gone already, or another user's: it works as well, only not behind others.
  }
}

/**
 * Every process of PostgreSQL begins a session, and where Linux groups processes by session ("autogroup", sched(7)), cores
 * are shared out among the groups: `nice` then counts within a group only, and the group has a number of its own.
 */
function lowerSession(id: number): boolean {
  try {
    writeFileSync(`/proc/${id}/autogroup`, String(lowered))
  } catch (error) {
    // Limited to ten times a second for users other than root.
    return !hasCode(error, 'EAGAIN')
  }
  return true
}
