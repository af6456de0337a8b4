/** Converts numbers, dates and times of cells to the text that an import reads. */
import type { NumberFormat } from './number-formats.ts'

/** Maximum length of a number in plain notation; longer ones keep their exponent, and are texts. */
const MAX_PLAIN_LENGTH = 60

/** Returns the 15 digits that Excel shows, in plain decimal notation. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return ''
  // -0 is 0.
  if (value === 0) return '0'
  const [digits = '', exponent = '0'] = value.toExponential(14).split('e')
  const sign = digits.startsWith('-') ? '-' : ''
  let significant = digits.replaceAll(/[-.]/g, '')
  while (significant.endsWith('0')) significant = significant.slice(0, -1)
  // The decimal point is after this many digits.
  const point = Number(exponent) + 1
  if (point > MAX_PLAIN_LENGTH || significant.length - point > MAX_PLAIN_LENGTH)
    return String(Number(`${digits}e${exponent}`))
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${significant}`
  if (point >= significant.length) return sign + significant.padEnd(point, '0')
  return `${sign}${significant.slice(0, point)}.${significant.slice(point)}`
}

const MS_PER_DAY = 86_400_000
/** Day 0 in milliseconds from 1970, for days from March 1900 on. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
/** December 31, 9999, the last day that Excel shows. */
const LAST_DAY_1900 = 2_958_465
const LAST_DAY_1904 = 2_957_003
/**
 * Excel treats February 29, 1900, which did not exist, as day 60: the days before it are one later than they would be.
 */
const DAY_THAT_NEVER_WAS = 60

/**
 * Returns a number as its format shows it: days as YYYY-MM-DD, moments as YYYY-MM-DD hh:mm:ss, times and durations as
 * h:mm:ss. A number that Excel shows as `####` stays a number.
 */
export function formattedText(value: number, format: NumberFormat, isDate1904: boolean): string {
  if (typeof format === 'number') return paddedText(value, format)
  if (format === 'plain' || !Number.isFinite(value)) return numberText(value)
  if (format === 'duration') return durationText(value)
  const lastDay = isDate1904 ? LAST_DAY_1904 : LAST_DAY_1900
  if (value < 0 || value >= lastDay + 1) return numberText(value)
  // The 1900 calendar begins with day 1, so smaller values are times.
  const isTime = value < 1 && (format === 'time' || !isDate1904)
  return isTime ? durationText(value) : dateText(value, format, isDate1904)
}

/** Adds zeros before a whole number, as in a ZIP code. */
function paddedText(value: number, length: number): string {
  const text = numberText(value)
  return /^\d+$/.test(text) ? text.padStart(length, '0') : text
}

function durationText(days: number): string {
  const total = Math.round(Math.abs(days) * MS_PER_DAY)
  if (!Number.isSafeInteger(total)) return numberText(days)
  const hours = Math.floor(total / 3_600_000)
  return `${days < 0 && total > 0 ? '-' : ''}${hours}${clockText(total % 3_600_000)}`
}

/** Formats `:mm:ss`, with thousandths only if there are any. */
function clockText(msOfHour: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const ms = msOfHour % 1000
  const fraction = ms > 0 ? `.${String(ms).padStart(3, '0')}` : ''
  return `:${two(Math.floor(msOfHour / 60_000))}:${two(Math.floor(msOfHour / 1000) % 60)}${fraction}`
}

function dateText(value: number, format: NumberFormat, isDate1904: boolean): string {
  const total = Math.round(value * MS_PER_DAY)
  const day = Math.floor(total / MS_PER_DAY)
  const msOfDay = total - day * MS_PER_DAY
  const date = isDate1904 ? dayText(EPOCH_1904, day) : day1900Text(day)
  if (msOfDay === 0 && format === 'day') return date
  const hours = String(Math.floor(msOfDay / 3_600_000)).padStart(2, '0')
  return `${date} ${hours}${clockText(msOfDay % 3_600_000)}`
}

function day1900Text(day: number): string {
  if (day === DAY_THAT_NEVER_WAS) return '1900-02-29'
  return dayText(EPOCH_1900, day < DAY_THAT_NEVER_WAS ? day + 1 : day)
}

const dayText = (epoch: number, day: number): string => new Date(epoch + day * MS_PER_DAY).toISOString().slice(0, 10)
