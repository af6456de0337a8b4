import {
  clockTimeOfRun,
  type CronTiming,
  lastDueTime,
  maxDueTimes,
  nextDueTimes,
} from '@portico/domain/scheduler/cron-times'
import type { CronRow } from '../tables.ts'

/** Returns the timing of a cron in the form that the contract's functions take. */
export function timingOf(row: Pick<CronRow, 'expression' | 'zone' | 'starts' | 'ends' | 'repeats'>): CronTiming {
  const { expression, zone, starts, ends, repeats } = row
  return { cron: expression, cronTZ: zone, cronStart: starts, cronEnd: ends, cronRepeat: repeats }
}

/** The next due times after a moment, at most `count`, which may be more than `nextDueTimes` gives at once. */
export function firstDueTimes(timing: CronTiming, after: number, count: number): number[] {
  const times: number[] = []
  while (times.length < count) {
    const wanted = Math.min(count - times.length, maxDueTimes)
    const found = nextDueTimes(timing, times.at(-1) ?? after, wanted)
    for (const time of found) times.push(time)
    if (found.length < wanted) break
  }
  return times
}

type Timed = Parameters<typeof timingOf>[0] & Pick<CronRow, 'last_due_at'>

/** Returns the next due times of a stored cron after a moment, at most `count`. */
export function dueTimesAfter(cron: Timed, after: number, count: number): number[] {
  // Repeats would be counted from the start again with every call: the last one was computed when it was saved.
  const times = firstDueTimes({ ...timingOf(cron), cronRepeat: null }, after, count)
  const last = cron.last_due_at?.getTime()
  return cron.repeats === null || last === undefined ? times : times.filter((time) => time <= last)
}

/**
 * Returns the due times of a stored cron after a moment and up to another, at most `most`, and the one that follows
 * them: null if none is left.
 */
export function dueTimesUntil(
  cron: Timed,
  after: number,
  until: number,
  most: number,
): { times: number[]; next: number | null } {
  const times: number[] = []
  let last = after
  // One at first: for most crons it is already past the range.
  for (let count = 1; ; count = Math.min(count * 4, 4096)) {
    const found = dueTimesAfter(cron, last, count)
    for (const time of found) {
      if (time > until || times.length === most) return { times, next: time }
      times.push(time)
    }
    if (found.length < count) return { times, next: null }
    last = found.at(-1) ?? last
  }
}

/** Version of the time zone data of this process, such as 2026c. Later ones sort after earlier ones. */
export const zoneRules = process.versions.tz ?? ''

/**
 * The columns of a cron's next due time (ms); they show whether it is still right after a change of its zone's rules.
 */
export function nextDueColumns(timing: Pick<CronTiming, 'cron' | 'cronTZ'>, next: number | null) {
  return {
    next_due_at: next === null ? null : new Date(next),
    next_clock_time: next === null ? null : new Date(clockTimeOfRun(timing, next)),
    zone_rules: zoneRules,
  }
}

/**
 * Returns the due times in ms that are stored with a new cron. `first` is null if it has none from `now` on. For a cron
 * that was saved before, due times count from that time.
 */
export function timesOfNewCron(
  timing: CronTiming,
  now: number,
  savedAt = now,
): { first: number | null; last: number | null } {
  const saved = { ...timing, savedAt }
  const [first = null] = nextDueTimes(saved, now - 1, 1)
  return { first, last: lastDueTime(saved) }
}
