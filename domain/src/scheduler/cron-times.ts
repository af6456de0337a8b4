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
  /** A day of the zone, or an ISO moment. */
  cronStart: string
  /** The last day on which it runs, of the zone; of an ISO moment, the day in the zone counts. */
  cronEnd?: string | null | undefined
  /** Number of due times. */
  cronRepeat?: number | null | undefined
  /** When the cron is saved, in ms. Repeats count from then where the first day has begun. */
  savedAt?: number | undefined
}

/** Most due times that one call gives. */
export const maxDueTimes = 10_000

export const tooManyRuns = (most: number): string =>
  `More than ${most.toLocaleString('en-US')} runs. Choose a shorter time.`

/** Thrown where more than `maxDueTimes` are asked for. The message is for users. */
export class TooManyDueTimes extends RangeError {
  constructor() {
    super(tooManyRuns(maxDueTimes))
  }
}

/**
 * The next due times after a moment, ascending, at most `count` of them. Moments in ms. Throws `TooManyDueTimes`, and a
 * RangeError for an expression or a zone that cannot be read.
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

/** The due times from a moment to another, `to` excluded; otherwise like `nextDueTimes`. */
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
 * The last due time of a cron that ends; null when it has none at all, or has no end. A cron with a number of repeats
 * walks through all of them, at most `maxRepeats`; one with an end is read from there backwards, in ranges that grow until
 * one has a due time.
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
 * The time on the zone's clock (ms since 1970 as if UTC) for which an expression is due at a moment: where the clocks skip
 * that time, not the one they show then.
 */
export function clockTimeOfRun({ cron, cronTZ }: Pick<CronTiming, 'cron' | 'cronTZ'>, moment: number): number {
  const { value: run } = runsAfter(cron, cronTZ, moment - 1).next()
  return run?.moment === moment ? run.wallTime : wallTimeOf(cronTZ, moment)
}

/** A due time that is stored, with its `clockTimeOfRun` by the rules of its zone at that time. All in ms. */
export type StoredDueTime = {
  moment: number
  clockTime: number
  /** The due time before it, which has its run. */
  previous: number
}

/** The due time in the place of a stored one, by the rules for its zone's clocks of now. */
export function dueTimeAgain(timing: CronTiming, { moment, clockTime, previous }: StoredDueTime): number {
  if (clockTimeOfRun(timing, moment) === clockTime) return moment
  const from = compile(timing.cron).isElapsed ? moment : momentOf(timing.cronTZ, clockTime)
  const [time = moment] = nextDueTimes({ ...timing, cronRepeat: null }, Math.max(from - 1, previous), 1)
  return time
}

export const hasEnd = ({ cronEnd, cronRepeat }: CronTiming): boolean =>
  Boolean(cronEnd) || typeof cronRepeat === 'number'

/** Whether a start or an end is a day of the zone rather than a moment. */
export const isDayText = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

/** The day of a start or an end in the zone. */
export function dayOf(text: string, zone: string): Day {
  return isDayText(text) ? text : wallDay(wallTimeOf(zone, Date.parse(text)))
}

/** The moment of a start: the first of its day, or its own. */
export const startOf = ({ cronStart, cronTZ }: Pick<CronTiming, 'cronStart' | 'cronTZ'>): number =>
  isDayText(cronStart) ? momentOf(cronTZ, dayStart(cronStart)) : Date.parse(cronStart)

const dayStart = (day: Day): number => Date.parse(`${day}T00:00:00Z`)
const wallDay = (wallTime: number): Day => new Date(wallTime).toISOString().slice(0, 10)

/** All due times after a moment: those of the expression from its start, up to its end or its number of repeats. */
function* dueTimes(timing: CronTiming, after: number): Generator<number> {
  const { cron, cronTZ, cronRepeat, savedAt = Number.NEGATIVE_INFINITY } = timing
  const end = endOf(timing)
  const repeats = cronRepeat ?? Number.POSITIVE_INFINITY
  const start = Math.max(firstPossible(timing), savedAt)
  const firstDay = isDayText(timing.cronStart) ? dayStart(timing.cronStart) : Number.NEGATIVE_INFINITY
  // A number of repeats counts from there, whatever part of them is asked for.
  const from = Number.isFinite(repeats) ? start - 1 : Math.max(after, start - 1)
  let count = 0
  for (const { moment, wallTime } of runsAfter(cron, cronTZ, from)) {
    if (wallTime >= end || count === repeats) return
    // Where clocks skip the hour before midnight, its times are due as the day begins, and belong to the day before.
    if (wallTime < firstDay) continue
    count += 1
    if (moment > after) yield moment
  }
}

/** The time on the zone's clock before which runs count. */
const endOf = ({ cronEnd, cronTZ }: CronTiming): number =>
  cronEnd ? dayStart(addDays(dayOf(cronEnd, cronTZ), 1)) : Number.POSITIVE_INFINITY

/** The moment from which runs count. */
function firstPossible(timing: CronTiming): number {
  const { cronStart, cronTZ, cronRepeat } = timing
  const start = startOf(timing)
  // One run is meant for this time; of a time that exists twice only the first is a due time.
  const isOnce = cronRepeat === 1 && !isDayText(cronStart)
  return isOnce ? momentOf(cronTZ, wallTimeOf(cronTZ, start)) : start
}

/** A due time, and the time by which the expression asked for it. */
type Run = { moment: number; wallTime: number }

/**
 * The runs of an expression after a moment. It is compared with the zone's clocks stretch by stretch between their
 * changes. Usually each time of the clock counts once: a stretch takes the times that those before it have not shown, and
 * those that were skipped right at its beginning. An expression for every hour takes all times that a stretch shows.
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
    // Before the stretch begins, times that were skipped still count.
    const seen = after >= from ? after + offset : Number.NEGATIVE_INFINITY
    let wallTime = nextClockTime(fields, Math.max(beginning - 1, seen))
    if (wallTime === null) return
    while (wallTime !== null && wallTime < end) {
      const moment = Math.max(wallTime - offset, from)
      // Several skipped times are due at one moment.
      if (moment > last) {
        yield { moment, wallTime }
        last = moment
      }
      wallTime = nextClockTime(fields, wallTime)
    }
  }
}

/** No due times are looked for from here on. */
const horizon = Date.UTC(2200, 0, 1)

type Compiled = { fields: CronFields; isElapsed: boolean }

const mostCompiled = 5000

const compile = memoized(mostCompiled, (expression): Compiled => {
  const fields = parseCron(expression)
  if (!fields) throw new RangeError(`${expression} is not a cron expression of five fields.`)
  return { fields, isElapsed: isEveryHour(fields) }
})

/** The times of an expression on the clock, from one to another (excluded), in ms since 1970 as if UTC. */
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

/** Least time between two runs of an expression, in ms. */
export const leastInterval = 5 * 60_000

/** Whether the expression has a run at all: the 30th of February has none. */
export const everRuns = (expression: string): boolean =>
  nextClockTime(compile(expression).fields, Date.UTC(2026, 0, 1)) !== null

/** Whether two runs are ever closer than `leastInterval` by the clock. */
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
  // All calendars of a year come up within 28 years; leap days with their weekdays as well.
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
