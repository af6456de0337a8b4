import { shownNumber } from '@portico/domain/decimals'

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 })
const oneDecimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** With thousands separators: 1,234,567.8. As in `shownNumber`, 0.1 + 0.2 is 0.3. */
export const formatNumber = (value: number): string => number.format(shownNumber(value))

/** A computed number to read at a glance: two decimals, or three digits below 1. */
export function formatFigure(value: number): string {
  return formatNumber(Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(2)))
}

/** The same number with all its digits, for a tooltip; undefined where the figure already shows them. */
export function exactFigure(value: number): string | undefined {
  // Sums of decimals end in noise beyond 12 digits.
  const exact = formatNumber(Number(value.toPrecision(12)))
  return exact === formatFigure(value) ? undefined : exact
}

/**
 * M/d/yyyy h:mm:ss a in a time zone (IANA name), or in local time. Text that is not a date is returned unchanged; no
 * value returns an empty text.
 */
export function formatDate(value: string | Date | null | undefined, timeZone?: string): string {
  if (value === null || value === undefined || value === '') return ''
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return String(value)
  const parts = dateFormat(timeZone).formatToParts(date)
  const part = (wanted: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === wanted)?.value ?? ''
  const time = `${part('hour')}:${part('minute')}:${part('second')} ${part('dayPeriod')}`
  return `${part('month')}/${part('day')}/${part('year')} ${time}`
}

/** The day `2026-01-31` as M/d/yyyy; any other text is returned unchanged. */
export function formatDay(day: string): string {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  return year === undefined ? day : `${Number(month)}/${Number(date)}/${year}`
}

// Creating a format takes far longer than using it, and a page of contacts has hundreds of dates.
const dateFormats = new Map<string | undefined, Intl.DateTimeFormat>()

function dateFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const format = dateFormats.get(timeZone) ?? newDateFormat(timeZone)
  dateFormats.set(timeZone, format)
  return format
}

const dateParts: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  hour12: true,
  minute: '2-digit',
  second: '2-digit',
}

function newDateFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { ...dateParts, timeZone })
  } catch (error) {
    // An older browser may not know the name of a time zone; it always knows its own.
    if (timeZone === undefined) throw error
    return newDateFormat(undefined)
  }
}

/** Bytes in the unit that keeps the number short: 512 B, 1.5 kB, 2.3 MB */
export function formatFileSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  // 999,950 bytes would round to 1,000 kB, so the step up happens just below each thousand.
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes + bytes / 20_000) / 3), units.length - 1)
  return `${oneDecimal.format(bytes / 1000 ** power)} ${units[power]}`
}

/** Milliseconds in at most two units: 4 sec, 2 min 5 sec, 3 h 20 min */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  const parts = [`${days} d`, `${hours} h`, `${minutes} min`, `${seconds % 60} sec`]
  const first = parts.findIndex((part) => !part.startsWith('0 '))
  if (first === -1) return '0 sec'
  const shown = parts.slice(first, first + 2).filter((part) => !part.startsWith('0 '))
  return shown.join(' ')
}

/** Processing speed: records per hour, or nothing when no time has passed. */
export function formatRate(records: number, ms: number): string {
  return ms > 0 ? `${number.format(Math.round((records / ms) * 3_600_000))} records/hour` : ''
}

/** 1 record, 2 records, 1,234 records */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`
}
