import { writeFileSync } from 'node:fs'
import { getPriority, platform, setPriority } from 'node:os'
import type pg from 'pg'
import { processOf } from './database.ts'
import { hasCode } from './embedded-postgres/account.ts'

/** Steps of `nice`: a process lowered this much gets about a tenth of a busy core (sched(7)). */
const niceSteps = 10
const lowest = 19
/** Interval between checks for new parallel workers. */
const checkMs = 200

// Computed once, from the priority at start: this thread's own may be lowered later.
const targetPriority = Math.min(lowest, getPriority() + niceSteps)

/** Lowers the CPU priority of this thread. */
export function lowerThreadPriority(): void {
  // On other systems, threads have no priority of their own, and the call would lower the whole process.
  if (platform() === 'linux') lowerPriority(0)
}

/**
 * Lowers the CPU priority of the PostgreSQL processes of this pool and of their parallel workers. Only for a PostgreSQL
 * on this machine, as processes are identified by their ids (ADR 0039).
 */
export function lowerDatabasePriority(pool: pg.Pool): void {
  const ours = new Set<number>()
  const lowered = new Set<number>()
  const lower = (id: number): void => {
    if (!lowered.has(id) && lowerProcess(id)) lowered.add(id)
  }
  pool.on('connect', (client) => {
    ours.add(processOf(client))
    lower(processOf(client))
  })
  pool.on('remove', (client) => {
    ours.delete(processOf(client))
    lowered.delete(processOf(client))
  })
  let isChecking = false
  const check = async (): Promise<void> => {
    if (isChecking || pool.totalCount === pool.idleCount) return
    isChecking = true
    try {
      const ids = new Set([...ours, ...(await selectHelpers(pool, [...ours]))])
      // The id of a worker that has ended may be reused by another process.
      for (const id of lowered) if (!ids.has(id)) lowered.delete(id)
      ids.forEach(lower)
    } catch {
      // The worker's own queries report a database that does not respond.
    } finally {
      isChecking = false
    }
  }
  setInterval(() => void check(), checkMs).unref()
}

async function selectHelpers(pool: pg.Pool, leaders: number[]): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    'SELECT pid FROM pg_catalog.pg_stat_activity WHERE leader_pid = ANY($1) AND pid <> leader_pid',
    [leaders],
  )
  return rows.map(({ pid }) => pid)
}

/** Returns false if the call has to be retried. */
function lowerProcess(id: number): boolean {
  lowerPriority(id)
  return lowerSession(id)
}

function lowerPriority(id: number): void {
  try {
    setPriority(id, targetPriority)
  } catch {
    // The process has ended or belongs to another user. It also works at normal priority.
  }
}

/**
 * Lowers the autogroup of a process. Every PostgreSQL process starts a session. Where Linux groups processes by session
 * ("autogroup", sched(7)), `nice` only applies within a group, and each group has its own nice value.
 */
function lowerSession(id: number): boolean {
  try {
    writeFileSync(`/proc/${id}/autogroup`, String(targetPriority))
  } catch (error) {
    // Limited to ten calls a second for users other than root.
    return !hasCode(error, 'EAGAIN')
  }
  return true
}
