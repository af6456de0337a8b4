import type { ContactField, ContactValue } from '#contacts'
import { isDay } from '@portico/domain/days'
import { composed } from '@portico/domain/unicode'
import { isBlank } from '@portico/domain/white-space'
import { invalidField } from '#platform/app-error.ts'

/** A moment with its time zone, and one without: a local time. */
const withZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)$/
const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?$/

/** Days and moments begin with the year 1000, as in files. */
const isInRange = (text: string): boolean => text >= '1000'

/**
 * A value as the field holds it; null for none, which a text of white space alone is, too.
 * @param momentOf the moment of a local time of the account, as on the wire
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
      // Negative zero is zero.
      if (typeof value === 'number' && Number.isFinite(value)) return value + 0
      throw invalidField(name, 'Enter a number, such as 1250.5.')
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw invalidField(name, 'Choose yes or no.')
    case 'day':
      if (typeof value === 'string' && isDay(value) && isInRange(value)) return value
      throw invalidField(name, 'Enter a day, such as 2026-01-31.')
    case 'date': {
      const moment = typeof value === 'string' ? await readMoment(value, momentOf) : null
      if (moment !== null) return moment
      throw invalidField(name, 'Enter a date and time, such as 2026-01-31T09:30.')
    }
  }
}

async function readMoment(text: string, momentOf: (local: string) => Promise<string | null>): Promise<string | null> {
  if (!isInRange(text) || !isDay(text.slice(0, 10))) return null
  if (local.test(text)) return Number.isNaN(Date.parse(`${text}Z`)) ? null : momentOf(text)
  if (!withZone.test(text)) return null
  const time = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  const moment = Number.isNaN(time) ? null : new Date(time).toISOString()
  return moment !== null && /^[1-9]\d{3}-/.test(moment) ? moment : null
}

/** Whether a value that a caller has read is the one that the contact has. */
export function isSameValue({ type }: Pick<ContactField, 'type'>, one: ContactValue, other: ContactValue): boolean {
  if (one === other) return true
  if (one === null || other === null) return isNone(one) && isNone(other)
  return type === 'date' && typeof one === 'string' && typeof other === 'string'
    ? Date.parse(one) === Date.parse(other)
    : false
}

const isNone = (value: ContactValue): boolean => value === null || value === ''
