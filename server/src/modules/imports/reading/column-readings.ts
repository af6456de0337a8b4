/**
 * Readings of cells as people write them: `$2,490.18`, `12 %`, `Yes`, 3/4/2024. Chosen for a column, never guessed for
 * a file.
 */
import type { ColumnReading } from '@portico/contract/imports'
import { withoutOuterSpace } from '@portico/domain/white-space'
import { fitsType, type ReadingZone } from './value-types.ts'

/**
 * Returns the text of a value in the form PostgreSQL reads; null if the reading cannot read the cell. Empty for a blank
 * cell.
 */
export type ReadCell = (cell: string) => string | null

export function readerOf(reading: ColumnReading, timeZone: ReadingZone): ReadCell {
  const known = readers.get(reading) ?? new Map<ReadingZone, ReadCell>()
  readers.set(reading, known)
  const reader = known.get(timeZone) ?? makeReader(reading, timeZone)
  known.set(timeZone, reader)
  return reader
}

/** Readers by reading, of which a plan has one object per column, and by time zone. */
const readers = new WeakMap<ColumnReading, Map<ReadingZone, ReadCell>>()

function makeReader(reading: ColumnReading, timeZone: ReadingZone): ReadCell {
  const read = readValueOf(reading)
  return (cell) => {
    const text = withoutOuterSpace(cell)
    if (text === '' || text.length > mostLetters) return text === '' ? '' : null
    const value = read(text)
    return value !== null && fitsType(value, reading.type, timeZone) ? value : null
  }
}

/** Numbers and dates are never longer. */
const mostLetters = 80

function readValueOf(reading: ColumnReading): ReadCell {
  switch (reading.type) {
    case 'string':
      return (text) => text
    case 'number':
      return (text) => readNumber(text, reading.decimal ?? 'point')
    case 'boolean':
      return (text) => booleans.get(text.toLowerCase()) ?? null
    case 'day':
    case 'date':
      return (text) => readDate(text, reading.order ?? 'month-first')
  }
}

const booleans = new Map(
  Object.entries({
    true: 'true',
    yes: 'true',
    y: 'true',
    '1': 'true',
    false: 'false',
    no: 'false',
    n: 'false',
    '0': 'false',
  }),
)

const currency = /^(?:[$€£¥₹]|US\$|USD|EUR|GBP|CHF|CAD|AUD|JPY|INR)/i
const currencyAtEnd = /(?:[$€£¥₹]|USD|EUR|GBP|CHF|CAD|AUD|JPY|INR)$/i
/**
 * Digits, with or without groups of three, by decimal sign. Groups end with the other sign, an apostrophe or a space.
 */
const digits = {
  point: /^(\d+|\d{1,3}(?:([,'’ \u00a0\u2009\u202f])\d{3})(?:\2\d{3})*)?(?:\.(\d+))?$/,
  comma: /^(\d+|\d{1,3}(?:([.'’ \u00a0\u2009\u202f])\d{3})(?:\2\d{3})*)?(?:,(\d+))?$/,
}

function readNumber(text: string, decimal: keyof typeof digits): string | null {
  const isInBrackets = text.startsWith('(') && text.endsWith(')')
  let rest = isInBrackets ? withoutOuterSpace(text.slice(1, -1)) : text
  let isNegative = isInBrackets
  const takeSign = (): void => {
    if (!/^[-−+]/.test(rest)) return
    isNegative ||= !rest.startsWith('+')
    rest = withoutOuterSpace(rest.slice(1))
  }
  takeSign()
  const before = rest
  rest = withoutOuterSpace(rest.replace(currency, ''))
  // A minus may be on either side of the currency, but not on both.
  if (rest !== before && before === (isInBrackets ? withoutOuterSpace(text.slice(1, -1)) : text)) takeSign()
  if (rest === before) rest = withoutOuterSpace(rest.replace(currencyAtEnd, ''))
  const isShare = rest.endsWith('%')
  if (isShare) rest = withoutOuterSpace(rest.slice(0, -1))
  const [, whole = '', , fraction = ''] = digits[decimal].exec(rest) ?? []
  if (whole + fraction === '') return null
  return writeNumber(whole.replaceAll(/\D/g, ''), fraction, { isNegative, isShare })
}

/** Returns a number as text. A percentage is a share: 12 % is 0.12. */
function writeNumber(
  whole: string,
  fraction: string,
  { isNegative, isShare }: Record<'isNegative' | 'isShare', boolean>,
) {
  const padded = whole.padStart(isShare ? 3 : 1, '0')
  const cut = padded.length - (isShare ? 2 : 0)
  const left = padded.slice(0, cut).replace(/^0+(?=\d)/, '')
  const right = isShare ? withoutZeros(padded.slice(cut) + fraction) : fraction
  const number = right === '' ? left : `${left}.${right}`
  return isNegative && /[1-9]/.test(number) ? `-${number}` : number
}

function withoutZeros(decimals: string): string {
  let end = decimals.length
  while (decimals[end - 1] === '0') end--
  return decimals.slice(0, end)
}

const spelledDate =
  /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:[ T,]\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s?([ap])\.?m\.?)?)?$/i

function readDate(text: string, order: 'month-first' | 'day-first'): string | null {
  // Dates with the year first are unambiguous.
  if (/^\d{4}-/.test(text)) return text
  const [, one = '', , other = '', year = '', hour, minute = '', second, half] = spelledDate.exec(text) ?? []
  if (year === '') return null
  const [month, day] = order === 'month-first' ? [one, other] : [other, one]
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (hour === undefined) return date
  const hours = half === undefined ? Number(hour) : hoursOfHalf(Number(hour), half.toLowerCase() === 'p')
  if (hours === null) return null
  return `${date} ${String(hours).padStart(2, '0')}:${minute}${second === undefined ? '' : `:${second}`}`
}

/** Converts a 12-hour clock: 12 AM is midnight, and 12 PM noon. */
function hoursOfHalf(hour: number, isAfternoon: boolean): number | null {
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (isAfternoon ? 12 : 0)
}
