import { getPriority, platform, setPriority } from 'node:os'
import type pg from 'pg'
import { processOf } from './database.ts'

/** On the scale of `nice`: whoever is this much lower gets about one part of a busy core where others get nine (sched(7)). */
const stepsBehind = 10
const lowest = 19
/** How soon the helpers of a long statement follow it. */
const lookForHelpersMs = 200

// Of the process, as it was started; a thread that has given way itself must not count from there.
const usual = getPriority()

/** Lets everything of a usual priority go before this thread from now on. */
export function giveWay(): void {
  // Elsewhere threads have no priority of their own, and the call would be for the whole process.
  if (platform() === 'linux') lower(0)
}

/**
 * Lets everything of a usual priority go before the PostgreSQL processes of this pool, and before the helpers that work for
 * them in parallel. Only for a PostgreSQL on this machine: its processes are known by their ids (ADR 0039).
 */
export function letGiveWay(pool: pg.Pool): void {
  const ours = new Set<number>()
  pool.on('connect', (client) => {
    ours.add(processOf(client))
    lower(processOf(client))
  })
  pool.on('remove', (client) => ours.delete(processOf(client)))
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking || pool.totalCount === pool.idleCount) return
    isLooking = true
    try {
      for (const helper of await selectHelpers(pool, [...ours])) lower(helper)
    } catch {
      // A database that does not answer is told about by whoever works with it.
    } finally {
      isLooking = false
    }
  }
  setInterval(() => void look(), lookForHelpersMs).unref()
}

async function selectHelpers(pool: pg.Pool, leaders: number[]): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    'SELECT pid FROM pg_catalog.pg_stat_activity WHERE leader_pid = ANY($1) AND pid <> leader_pid',
    [leaders],
  )
  return rows.map(({ pid }) => pid)
}

function lower(id: number): void {
  try {
    setPriority(id, Math.min(lowest, usual + stepsBehind))
  } catch {
    // Gone already, or another user's: it works as well, only not behind others.
  }
}
