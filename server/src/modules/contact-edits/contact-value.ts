import type { ContactField, ContactValue } from '#contacts'
import { isDay } from '@portico/domain/days'
import { momentNearBounds } from '@portico/domain/moment-bounds'
import { isInMomentYears, momentYears } from '@portico/domain/moment-years'
import { composed } from '@portico/domain/unicode'
import { isBlank } from '@portico/domain/white-space'
import { invalidField } from '#platform/app-error.ts'

/** Patterns of a moment with its time zone, and of a local time without one. */
const withZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)$/
const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?$/

/** Days and moments begin with the year 1000, as in files. */
const isInRange = (text: string): boolean => text >= '1000'

/**
 * A value as the field stores it; null for no value, which includes a text of white space alone.
 * @param momentOf the moment of a local time in the account's time zone, in wire format
 * @throws invalid_input naming the field, for a value that does not fit its type
 */
export async function readValue(
  { name, type }: Pick<ContactField, 'name' | 'type'>,
  value: ContactValue,
  momentOf: (local: string) => Promise<string | null>,
): Promise<ContactValue> {
  if (value === null || (typeof value === 'string' && isBlank(value))) return null
  switch (type) {
    case 'string':
      if (typeof value !== 'string') throw invalidField(name, 'Enter a text.')
      if (value.includes('\0')) throw invalidField(name, 'The text has a character that cannot be stored (NUL).')
      return composed(value.toWellFormed())
    case 'number':
      // Turns negative zero into zero.
      if (typeof value === 'number' && Number.isFinite(value)) return value + 0
      throw invalidField(name, 'Enter a number, such as 1250.5.')
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw invalidField(name, 'Choose yes or no.')
    case 'day':
      if (typeof value === 'string' && isDay(value) && isInRange(value)) return value
      throw invalidField(name, `Enter a day${ofYears(value, 'the years 1000 to 9999')}, such as 2026-01-31.`)
    case 'date': {
      const moment = typeof value === 'string' ? await readMoment(value, momentOf) : null
      if (moment !== null && isInMomentYears(moment)) return new Date(moment).toISOString()
      const years = moment === null ? ofYears(value, momentYears) : ` of ${momentYears}`
      throw invalidField(name, `Enter a date and time${years}, such as 2026-01-31T09:30.`)
    }
  }
}

/** Names the permitted years when a value with another year is refused. */
const ofYears = (value: ContactValue, years: string): string =>
  typeof value === 'string' && /^[+-]?(?:0\d{3}|\d{5,6})-\d\d-\d\d/.test(value) ? ` of ${years}` : ''

/** The moment in milliseconds of UTC, of any year; null for a text that is not a moment. */
async function readMoment(text: string, momentOf: (local: string) => Promise<string | null>): Promise<number | null> {
  if (!isInRange(text) || !isDay(text.slice(0, 10))) return null
  if (local.test(text)) {
    const moment = Number.isNaN(Date.parse(`${text}Z`)) ? null : await momentOf(text)
    return moment === null ? null : Date.parse(moment)
  }
  if (!withZone.test(text)) return null
  const moment = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  // Fractions of milliseconds are rounded, as in files.
  return Number.isNaN(moment) ? null : momentNearBounds(text, 'UTC')
}

/** Whether a value that a caller has read equals the contact's current value. */
export function isSameValue({ type }: Pick<ContactField, 'type'>, one: ContactValue, other: ContactValue): boolean {
  if (one === other) return true
  if (one === null || other === null) return isNone(one) && isNone(other)
  return type === 'date' && typeof one === 'string' && typeof other === 'string'
    ? Date.parse(one) === Date.parse(other)
    : false
}

const isNone = (value: ContactValue): boolean => value === null || value === ''
