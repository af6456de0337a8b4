import { expect, inject, test } from 'vitest'
import { type CronTiming, dueTimesBetween, nextDueTimes } from './cron-times.ts'
import { clockChanges } from './zone-offsets.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is `npm run test:long`. */
    isLong: boolean
  }
}

// Compares the due times with a naive reading of every expression in every IANA zone over two years, including a leap
// day. The naive reading does not use croner or spans: it reads the zone's clock minute by minute around a clock
// change, and elsewhere hour by hour. Zones whose clocks agree at every hour of the two years are read once.

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const begin = Date.UTC(2027, 5, 1)
const end = Date.UTC(2029, 5, 1)

/** Expressions of every period, and lists and steps of minutes and hours, near the hours in which clocks change. */
const expressions = [
  // Daily.
  '15 0 * * *',
  '0 2 * * *',
  '30 2 * * *',
  '0 3 * * *',
  // Weekly. Clocks change on Fridays, Saturdays and Sundays.
  '30 1 * * 7',
  '0 0 * * 5-7',
  '45 23 * * 4-6',
  '45 2 * * 1,0',
  // Monthly.
  '30 2 28 * *',
  '0 0 29 * *',
  '30 1 30 * *',
  '15 2 31 * *',
  '0 8 1,15,31 * *',
  // Once: a date.
  '30 2 29 2 *',
  '15 2 28 3 *',
  // Lists and steps.
  '15,45 2 * * *',
  '*/30 0-3 * * 0,5-6',
  '*/5 2 * * 7',
  '0 */2 * * 5-7',
  '7,52 */3 * * 0,5',
  '10 0,1,2,3,22,23 * * 4-7',
  '40 9-17/4 */2 */3 *',
  // A day of the month or a weekday.
  '20 1 13 * 5',
  // Every hour.
  '0 * * * *',
  '*/15 * 20-31 3,9-11 *',
  '20,50 * * * 5-7',
  '5 0-23 31 * *',
  '35 */1 29 2 *',
]

type ClockTime = { date: number; month: number; weekday: number }

function clockOf(wallTime: number): ClockTime {
  const clock = new Date(wallTime)
  return {
    date: clock.getUTCDate(),
    month: clock.getUTCMonth() + 1,
    weekday: clock.getUTCDay(),
  }
}

/** Returns whether a field allows a value, read item by item. */
function allows(field: string, value: number, lowest: number): boolean {
  return field.split(',').some((item) => {
    const [range = '', step = '1'] = item.split('/')
    const [from = '', to = from] = range === '*' ? [String(lowest), '59'] : range.split('-')
    return value >= Number(from) && value <= Number(to) && (value - Number(from)) % Number(step) === 0
  })
}

function runsOnDay(expression: string, { date, month, weekday }: ClockTime): boolean {
  const [, , dates = '', months = '', weekdays = ''] = expression.split(' ')
  const onDate = allows(dates, date, 1)
  const onWeekday = allows(weekdays, weekday, 0) || (weekday === 0 && allows(weekdays, 7, 0))
  const isEither = dates !== '*' && weekdays !== '*'
  return allows(months, month, 1) && (isEither ? onDate || onWeekday : onDate && onWeekday)
}

/** Returns the times of a day, in ms, at which an expression runs on its days. */
function timesOfDay(expression: string): number[] {
  const [minutes = '', hours = ''] = expression.split(' ')
  return Array.from({ length: day / minute }, (_, index) => index * minute).filter(
    (time) => allows(minutes, (time / minute) % 60, 0) && allows(hours, Math.floor(time / hour), 0),
  )
}

/** Returns the zone's clock at a moment, from the parts that Intl shows. */
function readClock(zone: string): (moment: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  return (moment) => {
    const [, month, date, year, hours, minutes] = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/.exec(format.format(moment)) ?? []
    return Date.UTC(Number(year), Number(month) - 1, Number(date), Number(hours), Number(minutes))
  }
}

/** A change of a zone's clock, and the times that it shows right before and after (in ms, as if UTC). */
type Change = { moment: number; before: number; after: number }

/** Finds the changes from readings a day apart, to the minute. */
function changesOf(clock: (moment: number) => number): Change[] {
  const changes: Change[] = []
  const first = begin - 2 * day
  let offset = clock(first) - first
  for (let from = first; from < end + 2 * day; from += day) {
    const next = clock(from + day) - from - day
    if (next === offset) continue
    let [before, after] = [from, from + day]
    while (after - before > minute) {
      const middle = before + Math.floor((after - before) / 2 / minute) * minute
      if (clock(middle) - middle === offset) before = middle
      else after = middle
    }
    changes.push({ moment: after, before: after + offset, after: clock(after) })
    offset = next
  }
  return changes
}

type History = { zones: string[]; clock: (moment: number) => number; changes: Change[] }

/** Returns the different clocks of all zones. */
function findHistories(): History[] {
  const found = new Map<string, History>()
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const clock = readClock(zone)
    const changes = changesOf(clock)
    const key = JSON.stringify([clock(begin), changes])
    const known = found.get(key)
    if (known) known.zones.push(zone)
    else found.set(key, { zones: [zone], clock, changes })
  }
  return [...found.values()]
}

/** Returns the clock times at which an expression runs, in any zone. */
function wallTimesOf(expression: string): number[] {
  const times: number[] = []
  const ofDay = timesOfDay(expression)
  for (let midnight = begin - 3 * day; midnight < end + 3 * day; midnight += day) {
    if (runsOnDay(expression, clockOf(midnight))) times.push(...ofDay.map((time) => midnight + time))
  }
  return times
}

/** A due time, and the clock time that the expression gave. */
type Run = { moment: number; asked: number }

/** Times that the clock shows in each minute of the three days around a change. */
type Around = { from: number; to: number; shown: number[] }

function readAround({ clock, changes }: History): Around[] {
  return changes.map(({ moment }) => {
    const [from, to] = [moment - 1.5 * day, moment + 1.5 * day]
    return { from, to, shown: Array.from({ length: (to - from) / minute }, (_, index) => clock(from + index * minute)) }
  })
}

/**
 * Returns the runs of a zone by the naive reading. A run is due as soon as the clock shows its time or a later one for
 * the first time; for an expression of every hour, whenever the clock shows its time.
 */
function naiveRuns(wallTimes: number[], isEveryHour: boolean, history: History, around: Around[]): Run[] {
  const runs: Run[] = []
  const known = new Set(wallTimes)
  let from = begin - day
  for (const { from: start, to, shown } of [...around, { from: end + day, to: end + day, shown: [] }]) {
    const offset = history.clock(from) - from
    for (const asked of wallTimes) {
      if (asked >= from + offset && asked < start + offset) runs.push({ moment: asked - offset, asked })
    }
    let latest = start + offset - minute
    shown.forEach((time, index) => {
      const moment = start + index * minute
      if (isEveryHour) {
        if (known.has(time)) runs.push({ moment, asked: time })
        return
      }
      for (let asked = latest + minute; asked <= time; asked += minute) {
        if (!known.has(asked)) continue
        runs.push({ moment, asked })
        break
      }
      latest = Math.max(latest, time)
    })
    from = to
  }
  return runs
}

/** Describes the first run that differs; empty if the lists are equal. */
function faultsOf(label: string, found: number[], expected: number[]): string[] {
  const longest = Math.max(found.length, expected.length)
  for (let index = 0; index < longest; index++) {
    if (found[index] === expected[index]) continue
    const [is, ought] = [found[index], expected[index]].map((moment) =>
      moment === undefined ? 'none' : new Date(moment).toISOString(),
    )
    return [`${label}: ${is} for ${ought}`]
  }
  return []
}

const dayOf = (wallTime: number): string => new Date(wallTime).toISOString().slice(0, 10)

const histories = findHistories()
const wallTimes = new Map(expressions.map((expression) => [expression, wallTimesOf(expression)]))
/** The suite takes a third of the clocks, at random; `npm run test:long` takes all. */
const drawn = (all: History[]): History[] => {
  const shift = Math.floor(Math.random() * 3)
  return inject('isLong') ? all : all.filter((_, index) => index % 3 === shift)
}
const isEveryHour = (expression: string): boolean => /^\S+ (\*|\*\/1|0-23) /.test(expression)

test('the samples include zones with and without clock changes', () => {
  const changing = histories.filter(({ changes }) => changes.length > 0)
  expect(changing.length).toBeGreaterThan(20)
  expect(histories.length - changing.length).toBeGreaterThan(20)
})

test('the computed clock changes match the local clocks of all zones', () => {
  for (const { zones, changes } of histories) {
    const found = zones.map((zone) => [zone, clockChanges(zone, begin - 2 * day, end + 2 * day)])
    expect(found).toEqual(zones.map((zone) => [zone, changes]))
  }
})

test.each(drawn(histories))('no run is lost or doubled in $zones.0', (history) => {
  const [zone = ''] = history.zones
  const around = readAround(history)
  const faults: string[] = []
  const isAround = (moment: number): boolean => around.some(({ from, to }) => moment >= from && moment < to)
  let offset = history.clock(begin) - begin
  for (let moment = begin; moment < end; moment += hour) {
    const now = history.clock(moment) - moment
    if (now !== offset && !isAround(moment)) faults.push(`changes at ${new Date(moment).toISOString()}`)
    offset = now
  }
  // Clocks that never change differ only in their offset.
  const few = expressions.filter((_, index) => index % 4 === 0)
  for (const expression of around.length > 0 ? expressions : few) {
    const runs = naiveRuns(wallTimes.get(expression) ?? [], isEveryHour(expression), history, around)
    const timing: CronTiming = { cron: expression, cronTZ: zone, cronStart: '2020-01-01' }
    const expected = runs.map(({ moment }) => moment).filter((moment) => moment >= begin && moment < end)
    const found: number[] = []
    // In parts, as one call returns at most 10,000.
    const part = (end - begin) / 4
    for (let from = begin; from < end; from += part) found.push(...dueTimesBetween(timing, from, from + part))
    faults.push(...faultsOf(expression, found, expected))
  }
  expect(faults).toEqual([])
})

const changing = histories.filter(({ changes }) => changes.length > 0)

test.each(drawn(changing))('starts, ends and repeats are correct around the clock changes in $zones.0', (history) => {
  const [zone = ''] = history.zones
  const around = readAround(history)
  const faults: string[] = []
  for (const expression of expressions) {
    const runs = naiveRuns(wallTimes.get(expression) ?? [], isEveryHour(expression), history, around)
    for (const { moment, before } of history.changes) {
      const near = runs
        .filter((run) => Math.abs(run.moment - moment) < 10 * day)
        .map((run) => ({ ...run, day: dayOf(run.asked) }))
      const compare = (timing: Partial<CronTiming>, after: number, expected: Run[]): void => {
        const whole = { cron: expression, cronTZ: zone, cronStart: '2020-01-01', ...timing }
        const found = nextDueTimes(whole, after, expected.length + (timing.cronEnd || timing.cronRepeat ? 1 : 0))
        const moments = expected.map((run) => run.moment)
        faults.push(...faultsOf(`${JSON.stringify(whole)} after ${after}`, found, moments))
      }
      for (const shift of [-2, -1, 0, 1]) {
        const cronStart = dayOf(before + shift * day)
        const started = near.filter((run) => run.day >= cronStart)
        for (const length of [0, 1, 2]) {
          const cronEnd = dayOf(before + (shift + length) * day)
          const within = started.filter((run) => run.day <= cronEnd)
          compare({ cronStart, cronEnd }, 0, within)
        }
        for (const cronRepeat of [1, 3]) {
          if (started.length < cronRepeat) continue
          compare({ cronStart, cronRepeat }, 0, started.slice(0, cronRepeat))
        }
      }
      for (let start = moment - 4 * hour; start <= moment + 4 * hour; start += 10 * minute) {
        const next = near.filter((run) => run.moment >= start).slice(0, 2)
        compare({}, start - 1, next)
        compare({ cronStart: new Date(start).toISOString() }, 0, next)
      }
    }
  }
  expect(faults).toEqual([])
})
