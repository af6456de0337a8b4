import type pg from 'pg'

/** Use of the connections of a pool. */
export type PoolUsage = {
  now: () => { open: number; idle: number; waiting: number }
  /** Returns for how many milliseconds no connection has been free; null while one is. */
  exhaustedForMs: () => number | null
}

/** Watches a pool, without a timer. */
export function watchPool(pool: pg.Pool, clock: () => number = () => performance.now()): PoolUsage {
  let exhaustedSince: number | null = null
  const look = (): void => {
    const isFree = pool.idleCount > 0 || pool.totalCount < pool.options.max
    if (isFree) exhaustedSince = null
    else exhaustedSince ??= clock()
  }
  pool.on('acquire', look)
  // The event comes before the connection is idle or reused.
  pool.on('release', () => queueMicrotask(look))
  pool.on('remove', look)
  return {
    now: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    exhaustedForMs() {
      look()
      return exhaustedSince === null ? null : clock() - exhaustedSince
    },
  }
}
