import type { SharedCounts } from '#platform/shared-counts.ts'
import { limitedNetwork } from '#platform/limited-network.ts'

/** Settings of the operator: calls and misses a minute, events a day. */
export type CallLimits = { perAddress: number; perAccess: number; misses: number; eventsPerDay: number }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * Windows for misses: calls that found no contact or several, by which values are guessed. Callers with too many in a
 * minute wait for the next minute. If they continue, they reach the limits of longer windows and wait for their ends.
 * `times`: multiples of a minute's limit.
 */
const missWindows = [
  { windowMs: minuteMs, times: 1 },
  { windowMs: 10 * minuteMs, times: 3 },
  { windowMs: hourMs, times: 7.5 },
  { windowMs: dayMs, times: 25 },
] as const

const missKey = (network: string, windowMs: number): string => `misses ${windowMs} ${network}`

/** Counts a call of an address. Returns the seconds to wait if it has made too many calls, otherwise null. */
export function limitAddress(
  counts: SharedCounts,
  address: string,
  { perAddress, misses }: Pick<CallLimits, 'perAddress' | 'misses'>,
): number | null {
  const network = limitedNetwork(address)
  const wait = limitMisses(counts, address, { misses })
  if (wait !== null) return wait
  const calls = counts.add(`address ${network}`, minuteMs)
  return calls > perAddress ? seconds(counts.untilNext(minuteMs)) : null
}

/**
 * Returns the seconds to wait if an address has guessed too often, otherwise null. Checked before a call is let in, and
 * again with `countMiss` before the response: calls let in together then reveal no more than they would one by one.
 */
export function limitMisses(
  counts: SharedCounts,
  address: string,
  { misses }: Pick<CallLimits, 'misses'>,
): number | null {
  const network = limitedNetwork(address)
  // The longest wait that any of the windows requires.
  for (const { windowMs, times } of missWindows.toReversed()) {
    if (counts.get(missKey(network, windowMs), windowMs) >= misses * times) return seconds(counts.untilNext(windowMs))
  }
  return null
}

/** Counts a call that found no contact, or several. */
export function countMiss(counts: SharedCounts, address: string): void {
  const network = limitedNetwork(address)
  for (const { windowMs } of missWindows) counts.add(missKey(network, windowMs), windowMs)
}

/** The same as `limitAddress`, for all callers of an access together. */
export function limitAccess(counts: SharedCounts, access: string, { perAccess }: CallLimits): number | null {
  const calls = counts.add(`access ${access}`, minuteMs)
  return calls > perAccess ? seconds(counts.untilNext(minuteMs)) : null
}

/** Counts events of an access. Returns the seconds to wait if they exceed its daily number, otherwise null. */
export function limitEvents(
  counts: SharedCounts,
  access: string,
  events: number,
  { eventsPerDay }: CallLimits,
): number | null {
  const key = `events ${access}`
  if (counts.get(key, dayMs) + events > eventsPerDay) return seconds(counts.untilNext(dayMs))
  counts.add(key, dayMs, events)
  return null
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
