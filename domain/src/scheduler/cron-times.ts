import { addDays, type Day } from '../days.ts'
import { memoized } from '../memoized.ts'
import { nextClockTime } from './clock-times.ts'
import { type CronFields, isEveryHour, parseCron } from './cron-fields.ts'
import { momentOf, spansFrom, wallTimeOf } from './zone-offsets.ts'

/** When a cron runs. The names are those on the wire. */
export type CronTiming = {
  /** Five-field expression. */
  cron: string
  /** IANA name. */
  cronTZ: string
  /** A day in the time zone, or an ISO moment. */
  cronStart: string
  /** The last day on which it runs, in the time zone; for an ISO moment, its day in the zone counts. */
  cronEnd?: string | null | undefined
  /** Number of due times. */
  cronRepeat?: number | null | undefined
  /** When the cron is saved, in ms. If the first day has begun, repeats count from then. */
  savedAt?: number | undefined
}

/** Maximum due times returned by one call. */
export const maxDueTimes = 10_000

export const tooManyRuns = (most: number): string =>
  `More than ${most.toLocaleString('en-US')} runs. Choose a shorter time.`

/** Thrown if more than `maxDueTimes` are requested. The message is for users. */
export class TooManyDueTimes extends RangeError {
  constructor() {
    super(tooManyRuns(maxDueTimes))
  }
}

/**
 * Returns the next due times after a moment, ascending, at most `count`. Moments in ms. Throws `TooManyDueTimes`, and a
 * RangeError for an invalid expression or zone.
 */
export function nextDueTimes(timing: CronTiming, after: number, count: number): number[] {
  if (count > maxDueTimes) throw new TooManyDueTimes()
  const times: number[] = []
  if (count < 1) return times
  for (const time of dueTimes(timing, after)) {
    times.push(time)
    if (times.length === count) break
  }
  return times
}

/** Returns the due times from one moment to another, `to` excluded; otherwise like `nextDueTimes`. */
export function dueTimesBetween(timing: CronTiming, from: number, to: number): number[] {
  const times: number[] = []
  for (const time of dueTimes(timing, from - 1)) {
    if (time >= to) break
    if (times.length === maxDueTimes) throw new TooManyDueTimes()
    times.push(time)
  }
  return times
}

/**
 * Returns the last due time of a cron that ends; null if it has none at all, or has no end. A cron with a number of
 * repeats is walked through completely, at most `maxRepeats`; one with an end is searched backwards from there, in
 * ranges that grow until one has a due time.
 */
export function lastDueTime(timing: CronTiming): number | null {
  if (!hasEnd(timing)) return null
  if (typeof timing.cronRepeat === 'number') return lastOf(dueTimes(timing, Number.NEGATIVE_INFINITY))
  const end = Math.min(endOf(timing), horizon)
  const start = firstPossible(timing)
  for (let range = firstRange; ; range *= 8) {
    const last = lastOf(dueTimes(timing, end - range))
    if (last !== null || end - range < start) return last
  }
}

const firstRange = 86_400_000

function lastOf(times: Iterable<number>): number | null {
  let last: number | null = null
  for (const time of times) last = time
  return last
}

/**
 * Returns the clock time in the zone (ms since 1970 as if UTC) for which an expression is due at a moment: if the
 * clocks skip that time, the skipped time and not the one that they show.
 */
export function clockTimeOfRun({ cron, cronTZ }: Pick<CronTiming, 'cron' | 'cronTZ'>, moment: number): number {
  const { value: run } = runsAfter(cron, cronTZ, moment - 1).next()
  return run?.moment === moment ? run.wallTime : wallTimeOf(cronTZ, moment)
}

/** A stored due time, with its `clockTimeOfRun` by the rules of its zone at that time. All in ms. */
export type StoredDueTime = {
  moment: number
  clockTime: number
  /** The previous due time, which already has its run. */
  previous: number
}

/** Returns the due time that replaces a stored one, by the current rules of its zone. */
export function dueTimeAgain(timing: CronTiming, { moment, clockTime, previous }: StoredDueTime): number {
  if (clockTimeOfRun(timing, moment) === clockTime) return moment
  const from = compile(timing.cron).isElapsed ? moment : momentOf(timing.cronTZ, clockTime)
  const [time = moment] = nextDueTimes({ ...timing, cronRepeat: null }, Math.max(from - 1, previous), 1)
  return time
}

export const hasEnd = ({ cronEnd, cronRepeat }: CronTiming): boolean =>
  Boolean(cronEnd) || typeof cronRepeat === 'number'

/** Returns whether a start or an end is a day in the zone rather than a moment. */
export const isDayText = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

/** Returns the day of a start or an end in the zone. */
export function dayOf(text: string, zone: string): Day {
  return isDayText(text) ? text : wallDay(wallTimeOf(zone, Date.parse(text)))
}

/** Returns the moment of a start: the first of its day, or its own. */
export const startOf = ({ cronStart, cronTZ }: Pick<CronTiming, 'cronStart' | 'cronTZ'>): number =>
  isDayText(cronStart) ? momentOf(cronTZ, dayStart(cronStart)) : Date.parse(cronStart)

const dayStart = (day: Day): number => Date.parse(`${day}T00:00:00Z`)
const wallDay = (wallTime: number): Day => new Date(wallTime).toISOString().slice(0, 10)

/** All due times after a moment: those of the expression from its start to its end, or up to its number of repeats. */
function* dueTimes(timing: CronTiming, after: number): Generator<number> {
  const { cron, cronTZ, cronRepeat, savedAt = Number.NEGATIVE_INFINITY } = timing
  const end = endOf(timing)
  const repeats = cronRepeat ?? Number.POSITIVE_INFINITY
  const start = Math.max(firstPossible(timing), savedAt)
  const firstDay = isDayText(timing.cronStart) ? dayStart(timing.cronStart) : Number.NEGATIVE_INFINITY
  // Repeats count from the start, regardless of which of them are requested.
  const from = Number.isFinite(repeats) ? start - 1 : Math.max(after, start - 1)
  let count = 0
  for (const { moment, wallTime } of runsAfter(cron, cronTZ, from)) {
    if (wallTime >= end || count === repeats) return
    // If clocks skip the hour before midnight, its times are due when the next day starts but belong to the day before.
    if (wallTime < firstDay) continue
    count += 1
    if (moment > after) yield moment
  }
}

/** Returns the clock time in the zone before which runs count. */
const endOf = ({ cronEnd, cronTZ }: CronTiming): number =>
  cronEnd ? dayStart(addDays(dayOf(cronEnd, cronTZ), 1)) : Number.POSITIVE_INFINITY

/** Returns the moment from which runs count. */
function firstPossible(timing: CronTiming): number {
  const { cronStart, cronTZ, cronRepeat } = timing
  const start = startOf(timing)
  // A single run is meant for this time; if the time exists twice, only the first is a due time.
  const isOnce = cronRepeat === 1 && !isDayText(cronStart)
  return isOnce ? momentOf(cronTZ, wallTimeOf(cronTZ, start)) : start
}

/** A due time, and the clock time for which the expression is due. */
type Run = { moment: number; wallTime: number }

/**
 * The runs of an expression after a moment. Goes through the stretches between changes of the zone's clocks. Usually
 * each clock time counts once: a stretch takes the times that earlier ones have not shown, and those that were skipped
 * right at its beginning. An expression for every hour takes all times that a stretch shows.
 */
function* runsAfter(expression: string, zone: string, after: number): Generator<Run> {
  const { fields, isElapsed } = compile(expression)
  let shown = Number.NEGATIVE_INFINITY
  let last = after
  for (const { from, to, offset } of spansFrom(zone, after)) {
    if (from >= horizon) return
    const beginning = isElapsed ? from + offset : shown
    const end = to + offset
    shown = Math.max(shown, end)
    if (to <= after) continue
    // Before the stretch begins, skipped times still count.
    const seen = after >= from ? after + offset : Number.NEGATIVE_INFINITY
    let wallTime = nextClockTime(fields, Math.max(beginning - 1, seen))
    if (wallTime === null) return
    while (wallTime !== null && wallTime < end) {
      const moment = Math.max(wallTime - offset, from)
      // Several skipped times are due at the same moment.
      if (moment > last) {
        yield { moment, wallTime }
        last = moment
      }
      wallTime = nextClockTime(fields, wallTime)
    }
  }
}

/** Due times are not computed beyond this moment. */
const horizon = Date.UTC(2200, 0, 1)

type Compiled = { fields: CronFields; isElapsed: boolean }

const mostCompiled = 5000

const compile = memoized(mostCompiled, (expression): Compiled => {
  const fields = parseCron(expression)
  if (!fields) throw new RangeError(`${expression} is not a cron expression of five fields.`)
  return { fields, isElapsed: isEveryHour(fields) }
})

/** Returns the clock times of an expression, from one to another (excluded), in ms since 1970 as if UTC. */
export function clockTimesBetween(expression: string, from: number, to: number): number[] {
  const { fields } = compile(expression)
  const times: number[] = []
  let time = nextClockTime(fields, from - 1)
  while (time !== null && time < to) {
    times.push(time)
    time = nextClockTime(fields, time)
  }
  return times
}

/** Minimum time between two runs of an expression, in ms. */
export const leastInterval = 5 * 60_000

/** Returns whether the expression has a run at all: the 30th of February has none. */
export const everRuns = (expression: string): boolean =>
  nextClockTime(compile(expression).fields, Date.UTC(2026, 0, 1)) !== null

/** Returns whether two runs are ever closer than `leastInterval` by the clock. */
export function runsTooOften(expression: string): boolean {
  const fields = parseCron(expression)
  if (!fields) return false
  const least = leastInterval / 60_000
  const minutes = fields.hours.flatMap((hour) => fields.minutes.map((minute) => hour * 60 + minute))
  if (minutes.some((minute, index) => index > 0 && minute - (minutes[index - 1] ?? 0) < least)) return true
  const overMidnight = 24 * 60 - (minutes.at(-1) ?? 0) + (minutes[0] ?? 0)
  return overMidnight < least && hasDaysInARow(expression)
}

function hasDaysInARow(expression: string): boolean {
  const { fields } = compile(`0 0 ${expression.trim().split(/\s+/).slice(2).join(' ')}`)
  // All calendars of a year occur within 28 years, including leap days on all weekdays.
  const end = Date.UTC(2054, 0, 1)
  let before = Date.UTC(2025, 11, 31)
  let day = nextClockTime(fields, before)
  while (day !== null && day < end) {
    if (day - before === 86_400_000 && before > Date.UTC(2025, 11, 31)) return true
    before = day
    day = nextClockTime(fields, before)
  }
  return false
}
