import { sql } from 'kysely'
import { BoundedMap } from './memory/bounded-map.ts'
import type { Db } from './database.ts'
import type { Logger } from './log.ts'

/**
 * Counts calls in windows of time, for limits across all processes without a write for each call: a process counts in
 * memory, adds its counts to the database every second, and gets those of the others. Together, processes exceed a
 * limit by at most one second's calls of each.
 */
export type SharedCounts = {
  /** Returns the count of a key in its current window, as far as this process knows. */
  get: (key: string, windowMs: number) => number
  /** Adds to the count and returns it. */
  add: (key: string, windowMs: number, calls?: number) => number
  /** Returns the milliseconds until the current window of that length ends. */
  untilNext: (windowMs: number) => number
  /** Adds the counts of this process to the shared ones; runs automatically every second. */
  share: () => Promise<void>
  close: () => Promise<void>
}

type Entry = { key: string; start: number; end: number; others: number; unshared: number }

const shareEveryMs = 1000
// About 30 MB. Beyond it, the oldest keys are dropped: limits for one address do not stop callers with that many.
const mostKeys = 100_000

export function createSharedCounts(db: Db, log: Logger, now: () => number = Date.now): SharedCounts {
  const entries = new BoundedMap<string, Entry>(mostKeys)
  // The windows follow the database's clock, since those of the processes differ.
  let clockOffset = 0
  let sharing: Promise<void> | null = null

  const windowStart = (windowMs: number): number => Math.floor((now() + clockOffset) / windowMs) * windowMs

  function entryOf(key: string, windowMs: number): Entry {
    const start = windowStart(windowMs)
    const known = entries.get(key)
    if (known?.start === start) return known
    const entry = { key, start, end: start + windowMs, others: 0, unshared: 0 }
    entries.set(key, entry)
    return entry
  }
  async function shareAll(): Promise<void> {
    const present = now() + clockOffset
    for (const [key, { end, unshared }] of entries) if (end <= present && unshared === 0) entries.delete(key)
    const shared = [...entries.values()].filter(({ unshared }) => unshared > 0)
    const sent = shared.map(({ unshared }) => unshared)
    const read = await upsertCounts(db, shared)
    clockOffset = read.databaseNow - now()
    for (const [at, entry] of shared.entries()) {
      entry.unshared -= sent[at] ?? 0
      entry.others = read.calls.get(entry.key) ?? entry.others
    }
  }
  const share = (): Promise<void> =>
    (sharing ??= shareAll()
      .catch((error: unknown) => log.warn({ err: error }, 'counts could not be shared'))
      .finally(() => (sharing = null)))
  const timer = setInterval(() => {
    if (entries.size > 0) void share()
  }, shareEveryMs)
  timer.unref()

  return {
    get(key, windowMs) {
      const known = entries.get(key)
      return known?.start === windowStart(windowMs) ? known.others + known.unshared : 0
    },
    add(key, windowMs, calls = 1) {
      const entry = entryOf(key, windowMs)
      entry.unshared += calls
      return entry.others + entry.unshared
    },
    untilNext: (windowMs) => windowMs - ((now() + clockOffset) % windowMs),
    share,
    async close() {
      clearInterval(timer)
      await share()
    },
  }
}

const callCounts = sql.id('portico', 'call_counts')

type Shared = { databaseNow: number; calls: Map<string, number> }

/** Adds counts, ordered by key, to avoid deadlocks between processes. */
async function upsertCounts(db: Db, entries: readonly Entry[]): Promise<Shared> {
  const sorted = entries.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const moments = (times: number[]) => sql.val(times.map((time) => new Date(time).toISOString()))
  const { rows } = await sql<{ key: string | null; calls: number | null; now: Date }>`
    WITH expired AS (
      DELETE FROM ${callCounts} WHERE expires_at < now()
    ), counted AS (
      INSERT INTO ${callCounts} AS counts (key, window_start, expires_at, calls)
      SELECT * FROM unnest(
        ${sql.val(sorted.map(({ key }) => key))}::text[], ${moments(sorted.map(({ start }) => start))}::timestamptz[],
        ${moments(sorted.map(({ end }) => end))}::timestamptz[],
        ${sql.val(sorted.map(({ unshared }) => unshared))}::int[]
      )
      ON CONFLICT (key, window_start) DO UPDATE SET calls = counts.calls + EXCLUDED.calls
      RETURNING key, calls
    )
    SELECT key, calls, clock_timestamp() AS now FROM counted
    UNION ALL SELECT NULL, NULL, clock_timestamp()`.execute(db)
  const calls = new Map(rows.flatMap((row) => (row.key === null ? [] : [[row.key, row.calls ?? 0] as const])))
  return { databaseNow: rows.at(-1)?.now.getTime() ?? Date.now(), calls }
}
