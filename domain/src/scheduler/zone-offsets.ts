import { memoized } from '../memoized.ts'

/** A period in which a zone's clocks keep the same offset. `from` and `to` (excluded) are moments; all in ms. */
export type Span = { from: number; to: number; offset: number }

const msPerMinute = 60_000
const msPerDay = 86_400_000

// A process handles users of a few zones. Without a limit, spellings of names would fill the memory.
const mostZones = 1000
const mostYears = 5000

/** Returns the name of a zone in the tables, for any letter case; null for a name that is not an IANA time zone. */
const knownName = memoized(mostZones, (zone) => {
  // Intl also accepts offsets such as +02:00, which have no clock changes.
  if (!/^[A-Z]/i.test(zone)) return null
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
})

const formatterOf = memoized(
  mostZones,
  (timeZone) => new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }),
)

export const isTimeZone = (zone: string): boolean => knownName(zone) !== null

function nameOf(zone: string): string {
  const name = knownName(zone)
  if (name === null) throw new RangeError(`${zone} is not a time zone.`)
  return name
}

/** Returns the offset from UTC at a moment, in ms. Throws a RangeError for an unknown zone. */
export function offsetAt(zone: string, moment: number): number {
  const text = formatterOf(nameOf(zone)).format(moment)
  const [, sign, hours, minutes, seconds] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? []
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * msPerMinute + Number(seconds ?? 0) * 1000
  return sign === '-' ? -size : size
}

/** Shorter than any zone has kept an offset since 1970. The shortest is a week, for Ramadan in Gaza. */
const step = 3 * msPerDay

/** Returns the spans of a zone in a UTC year, which takes about half a millisecond to compute. */
const spansOfYear = memoized(mostYears, (key) => {
  const [zone = '', yearText] = key.split(' ')
  const year = Number(yearText)
  const end = Date.UTC(year + 1, 0, 1)
  const spans: Span[] = []
  let from = Date.UTC(year, 0, 1)
  let offset = offsetAt(zone, from)
  for (let day = from; day < end; day += step) {
    const next = Math.min(day + step, end)
    if (offsetAt(zone, next) === offset) continue
    const change = changeWithin(zone, day, next)
    spans.push({ from, to: change, offset })
    from = change
    offset = offsetAt(zone, change)
  }
  // A change at the very end of a year leaves no span after it.
  if (from < end) spans.push({ from, to: end, offset })
  return spans
})

/** Returns the first moment with a different offset than `from`, to the minute. */
function changeWithin(zone: string, from: number, to: number): number {
  const offset = offsetAt(zone, from)
  let before = from
  let after = to
  while (after - before > msPerMinute) {
    const middle = before + Math.floor((after - before) / 2 / msPerMinute) * msPerMinute
    if (offsetAt(zone, middle) === offset) before = middle
    else after = middle
  }
  return after
}

/**
 * The spans of a zone from at least two days before a moment, without end. Consecutive ones may have the same offset.
 */
export function* spansFrom(zone: string, moment: number): Generator<Span, never> {
  const name = nameOf(zone)
  let year = new Date(moment - 2 * msPerDay).getUTCFullYear()
  if (Number.isNaN(year)) throw new RangeError('There is no such time.')
  for (; ; year++) yield* spansOfYear(`${name} ${year}`)
}

/** A change of a zone's offset: clocks show `before` (ms since 1970 as if UTC) and then `after`. */
export type ClockChange = { moment: number; before: number; after: number }

/** Returns the clock changes between two moments, `to` excluded. */
export function clockChanges(zone: string, from: number, to: number): ClockChange[] {
  const changes: ClockChange[] = []
  let last: Span | null = null
  for (const span of spansFrom(zone, from)) {
    if (span.from >= to) break
    if (last && last.offset !== span.offset && span.from >= from) {
      changes.push({ moment: span.from, before: span.from + last.offset, after: span.from + span.offset })
    }
    last = span
  }
  return changes
}

/** Returns the clock time in the zone at a moment, as ms since 1970 as if it were UTC. */
export const wallTimeOf = (zone: string, moment: number): number => moment + offsetAt(zone, moment)

/**
 * Returns the moment at which the zone's clocks show a time (ms since 1970 as if UTC): the first if they show it twice,
 * right after the gap if they skip it.
 */
export function momentOf(zone: string, wallTime: number): number {
  for (const { from, to, offset } of spansFrom(zone, wallTime)) {
    if (wallTime < to + offset) return Math.max(wallTime - offset, from)
  }
  throw new Error('unreachable: the spans have no end')
}

/** Returns the offset of a zone outside of daylight saving time, in ms. `year` is one of its years. */
export const winterOffset = (zone: string, year: number): number =>
  Math.min(offsetAt(zone, Date.UTC(year, 0, 1)), offsetAt(zone, Date.UTC(year, 6, 1)))
