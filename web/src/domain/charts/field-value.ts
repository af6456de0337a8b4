import type { FieldType } from '@portico/contract/contacts'
import { formatDate, formatDay, formatNumber } from '#lib/formats.ts'
import { accountTimeZone } from '#lib/session/session.ts'

/**
 * A value of a contact or an event as text; nothing for no value. Values that do not fit the type are shown unchanged.
 * Moments are shown in the account's time zone, in which imports and filters read them; days have no time zone.
 */
export function formatValue(value: unknown, type: FieldType = 'string'): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'string') {
    if (type === 'day') return formatDay(value)
    return type === 'date' ? formatDate(value, accountTimeZone()) : value
  }
  return JSON.stringify(value)
}

/** Whose time it is that dates of contacts are shown in; null where it is that of the person's own place. */
export function zoneNote(): string | null {
  const zone = accountTimeZone()
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone === undefined || zone === own ? null : `Dates are in the time zone ${zone.replaceAll('_', ' ')}.`
}
