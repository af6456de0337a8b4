import type { FieldType } from '@portico/contract/contacts'
import { momentNearBounds } from '@portico/domain/moment-bounds'
import { isInMomentYears } from '@portico/domain/moment-years'

/**
 * Types of values, decided on bytes so that a million rows need no strings. The types are stricter than PostgreSQL's
 * own input (no `NaN`, `0x1A`, `today`, `t`): PostgreSQL reads every value that fits here as people mean it, with
 * DateStyle ISO, MDY, and without loss.
 *
 * - number: `-?(0|[1-9]\d*)(\.\d+)?` with at most 15 significant digits. `007` and `-0` are text: as numbers they
 *   would lose something.
 * - boolean: true or false in any letter case.
 * - day: a day of the calendar from the year 1000 on, as `YYYY-MM-DD` or `M/d/yyyy`.
 * - date: the same, or with a time: `YYYY-MM-DD[T ]HH:MM[:SS[.ffffff]][Z|±HH[:]MM]`,
 *   or `M/d/yyyy h:mm[:ss][[ ]AM|PM]`. As a moment (in the account's time zone if the text has no offset),
 *   it is in the years 1000 to 9999 in UTC.
 *
 * A value other than a day fits at most one type besides string; a day fits `date` too. So the first value of a column
 * leaves one candidate, which `widerType` replaces by a wider one if necessary.
 */

/** Candidate for a column's type: `infer` tries all types, a given type is tested on every value. */
export type CandidateType = 'infer' | FieldType

/**
 * The time zone of an account, in which moments without an offset are read. Null for plans of earlier releases, which
 * accepted moments of any year.
 */
export type ReadingZone = string | null

/** Tests whether the bytes [start, end) are a value of a type; needs at least one byte. */
export type ValueTest = (bytes: Uint8Array, start: number, end: number, timeZone: ReadingZone) => boolean

export const valueTests: Record<FieldType, ValueTest> = {
  string: () => true,
  number: isNumber,
  boolean: isBoolean,
  date: isMoment,
  day: (bytes, start, end) => isDate(bytes, start, end) && !hasTime(bytes, start, end),
}

/** Returns the type that also fits the value [start, end), which does not fit `type`. */
export function widerType(
  type: FieldType,
  bytes: Uint8Array,
  start: number,
  end: number,
  timeZone: ReadingZone,
): FieldType {
  return type === 'day' && isMoment(bytes, start, end, timeZone) ? 'date' : 'string'
}

/** Returns the narrowest type of the bytes [start, end). */
export function typeOfValue(bytes: Uint8Array, start: number, end: number, timeZone: ReadingZone): FieldType {
  if (isNumber(bytes, start, end)) return 'number'
  if (isBoolean(bytes, start, end)) return 'boolean'
  if (!isDate(bytes, start, end)) return 'string'
  if (!hasTime(bytes, start, end)) return 'day'
  return isMoment(bytes, start, end, timeZone) ? 'date' : 'string'
}

/** Returns the narrowest type of a non-empty text. */
export function typeOfText(text: string, timeZone: ReadingZone): FieldType {
  const bytes = Buffer.from(text)
  return typeOfValue(bytes, 0, bytes.length, timeZone)
}

/** Tests whether a text is a value of the type; the empty text is only a string. */
export function fitsType(text: string, type: FieldType, timeZone: ReadingZone): boolean {
  const bytes = Buffer.from(text)
  return valueTests[type](bytes, 0, bytes.length, timeZone)
}

/** A double preserves 15 decimal digits. */
const MAX_SIGNIFICANT_DIGITS = 15
/** Longer numbers are a 0.000… that a double may round to zero. */
const MAX_NUMBER_BYTES = 64

const ZERO = 0x30
const NINE = 0x39
const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const COLON = 0x3a
const SLASH = 0x2f
const SPACE = 0x20
const UPPER_T = 0x54
const UPPER_Z = 0x5a
/** Bit that turns an ASCII upper-case letter into lower case. */
const SMALL = 0x20

function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  let significant = 0
  let at = first
  for (; at < end && isDigit(bytes[at]); at++) if (significant > 0 || bytes[at] !== ZERO) significant++
  if (at === first || (bytes[first] === ZERO && at > first + 1)) return false
  if (at < end) {
    if (bytes[at] !== POINT || at + 1 === end) return false
    for (at++; at < end && isDigit(bytes[at]); at++) if (significant > 0 || bytes[at] !== ZERO) significant++
  }
  const isNegativeZero = isNegative && significant === 0
  return at === end && significant <= MAX_SIGNIFICANT_DIGITS && end - start <= MAX_NUMBER_BYTES && !isNegativeZero
}

function isBoolean(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 4 ? spells(bytes, start, 'true') : end - start === 5 && spells(bytes, start, 'false')
}

function spells(bytes: Uint8Array, start: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    // `start + i` is inside the value: the caller compared the lengths.
    if ((bytes[start + i]! | SMALL) !== word.charCodeAt(i)) return false
  }
  return true
}

/** Returns whether a date is within the years of moments. Only dates of the first and the last year can be outside. */
function isMoment(bytes: Uint8Array, start: number, end: number, timeZone: ReadingZone): boolean {
  if (!isDate(bytes, start, end)) return false
  if (timeZone === null || !hasBoundYear(bytes, start, end)) return true
  return isInMomentYears(momentNearBounds(Buffer.from(bytes.subarray(start, end)).toString('latin1'), timeZone))
}

function hasBoundYear(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start + 4] === MINUS) return isBoundYear(digits(bytes, start, start + 4))
  let year = start
  for (let at = start; at < end; at++) if (bytes[at] === SLASH) year = at + 1
  return isBoundYear(digits(bytes, year, year + 4))
}

const isBoundYear = (year: number): boolean => year === 1000 || year === 9999

function isDate(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < '1/1/1000'.length) return false
  return bytes[start + 4] === MINUS ? isIsoDate(bytes, start, end) : isAmericanDate(bytes, start, end)
}

/** Returns whether a date has a time, which follows its day. */
function hasTime(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === COLON) return true
  return false
}

function isIsoDate(bytes: Uint8Array, start: number, end: number): boolean {
  const afterDay = start + 10
  if (afterDay > end || bytes[start + 7] !== MINUS) return false
  if (
    !isDay(digits(bytes, start, start + 4), digits(bytes, start + 5, start + 7), digits(bytes, start + 8, afterDay))
  ) {
    return false
  }
  if (afterDay === end) return true
  if (bytes[afterDay] !== UPPER_T && bytes[afterDay] !== SPACE) return false
  const time = afterDay + 1
  let at = time + 5
  if (at > end || !isTime(bytes, time, time + 2)) return false
  if (bytes[at] === COLON && at < end) {
    at += 3
    if (at > end || !isBelow(60, digits(bytes, at - 2, at))) return false
    if (bytes[at] === POINT && at < end) {
      const fraction = ++at
      while (at < end && isDigit(bytes[at])) at++
      if (at === fraction || at - fraction > 6) return false
    }
  }
  return at === end || isZone(bytes, at, end)
}

function isZone(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] === UPPER_Z) return end - start === 1
  if (bytes[start] !== PLUS && bytes[start] !== MINUS) return false
  const minutes = bytes[start + 3] === COLON ? start + 4 : start + 3
  // PostgreSQL refuses zone offsets of 16 hours and more.
  return (
    minutes + 2 === end && isBelow(16, digits(bytes, start + 1, start + 3)) && isBelow(60, digits(bytes, minutes, end))
  )
}

function isAmericanDate(bytes: Uint8Array, start: number, end: number): boolean {
  const month = afterShortNumber(bytes, start)
  const day = afterShortNumber(bytes, month + 1)
  const year = day + 5
  if (bytes[month] !== SLASH || bytes[day] !== SLASH || year > end) return false
  if (!isDay(digits(bytes, day + 1, year), digits(bytes, start, month), digits(bytes, month + 1, day))) return false
  if (year === end) return true
  const hour = year + 1
  const afterHour = afterShortNumber(bytes, hour)
  let at = afterHour + 3
  if (bytes[year] !== SPACE || at > end || !isTime(bytes, hour, afterHour)) return false
  if (bytes[at] === COLON && at < end) {
    at += 3
    if (at > end || !isBelow(60, digits(bytes, at - 2, at))) return false
  }
  if (at === end) return true
  if (bytes[at] === SPACE) at++
  const hours = digits(bytes, hour, afterHour)
  return at + 2 === end && (spells(bytes, at, 'am') || spells(bytes, at, 'pm')) && hours >= 1 && hours <= 12
}

/** `HH:MM` with the hour at [hour, afterHour); the caller has checked that five bytes, or all of them, exist. */
function isTime(bytes: Uint8Array, hour: number, afterHour: number): boolean {
  return (
    isBelow(24, digits(bytes, hour, afterHour)) &&
    bytes[afterHour] === COLON &&
    isBelow(60, digits(bytes, afterHour + 1, afterHour + 3))
  )
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1000 || day < 1) return false
  if (month === 2 && day === 29) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (DAYS[month - 1] ?? 0)
}

/** Returns the end of a number of one or two digits that starts at `at`. */
function afterShortNumber(bytes: Uint8Array, at: number): number {
  if (!isDigit(bytes[at])) return at
  return isDigit(bytes[at + 1]) ? at + 2 : at + 1
}

/** Returns the number at [start, end), or -1 if it is empty or has other characters than digits. */
function digits(bytes: Uint8Array, start: number, end: number): number {
  let value = start < end ? 0 : -1
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte === undefined || byte < ZERO || byte > NINE) return -1
    value = value * 10 + byte - ZERO
  }
  return value
}

function isBelow(limit: number, value: number): boolean {
  return value >= 0 && value < limit
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}
