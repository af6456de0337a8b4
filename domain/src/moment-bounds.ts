import { memoized } from './memoized.ts'
import { firstMomentMs, lastMomentMs } from './moment-years.ts'
import { offsetAt } from './scheduler/zone-offsets.ts'

const roundsFrom = Date.UTC(2000, 0, 1)

/**
 * Returns the milliseconds of a moment as stored: PostgreSQL rounds halves away from 2000. @param micros below 1000000
 */
function storedMs(second: number, micros: number): number {
  const rest = micros % 1000
  const isUp = second < roundsFrom ? rest > 500 : rest >= 500
  return second + (micros - rest) / 1000 + (isUp ? 1 : 0)
}

const isoForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(Z|[+-]\d\d:?\d\d)?)?$/
const americanForm = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([ap])m)?)?$/i

/**
 * Returns the moment of a day or time from a file or a call, in stored milliseconds of UTC: `YYYY-MM-DD`, with or
 * without a time and an offset, or `M/d/yyyy`, with or without a time. NaN for any other text. For a text without an
 * offset it is only exact near the bounds of the years of moments, where no clock changes.
 * @param timeZone of texts without an offset
 */
export function momentNearBounds(text: string, timeZone: string): number {
  const [, day, time = '00:00', second = '00', fraction = '', offset] = isoForm.exec(text) ?? americanParts(text)
  const wall = Date.parse(`${day}T${time}:${second}Z`)
  const away = offset === undefined ? offsetAtBound(timeZone, wall) : offsetMs(offset)
  return storedMs(wall - away, Number(fraction.padEnd(6, '0')))
}

/** Returns the parts in the order of `isoForm`. */
function americanParts(text: string): (string | undefined)[] {
  const [, month = '', day = '', year, hour = '0', minute = '00', second, half] = americanForm.exec(text) ?? []
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const two = (part: string | number): string => String(part).padStart(2, '0')
  return ['', `${year}-${two(month)}-${two(day)}`, `${two(hours)}:${minute}`, second]
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2))
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000
}

const middle = Date.UTC(5500, 0, 1)
const offsetAtBound = (timeZone: string, wall: number): number =>
  wall < middle ? offsetAtFirst(timeZone) : offsetAtLast(timeZone)
// A file may have the last day in each of its rows.
const offsetAtFirst = memoized(100, (timeZone) => offsetAt(timeZone, firstMomentMs))
const offsetAtLast = memoized(100, (timeZone) => offsetAt(timeZone, lastMomentMs))
