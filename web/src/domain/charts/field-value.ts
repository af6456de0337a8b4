import type { FieldType } from '@portico/contract/contacts'
import { type FieldFormat, writeNumber, writeShortNumber } from '@portico/domain/field-format'
import { exactFigure, formatDate, formatDay, formatFigure, formatNumber } from '#lib/formats.ts'
import { accountTimeZone } from '#lib/session/session.ts'

/**
 * A value of a contact or an event as text; nothing for no value. Values that do not fit the type are shown unchanged.
 * Numbers are written in the format of their field. Moments are shown in the account's time zone, in which imports and filters read them; days have no time zone.
 */
export function formatValue(value: unknown, type: FieldType = 'string', format?: FieldFormat): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return format ? writeNumber(value, format) : formatNumber(value)
  if (typeof value === 'string') {
    if (type === 'day') return formatDay(value)
    return type === 'date' ? formatDate(value, accountTimeZone()) : value
  }
  return JSON.stringify(value)
}

/** A computed number in the format of its field: rounded, unless that fixes the decimals. */
export const formatComputed = (value: number, format?: FieldFormat): string =>
  format ? writeNumber(value, format, computedDigits(value, format)) : formatFigure(value)

/** The same number with all its digits, for a tooltip; undefined where the text has them already. */
export function exactComputed(value: number, format?: FieldFormat): string | undefined {
  if (!format) return exactFigure(value)
  const exact = writeNumber(Number(value.toPrecision(12)), { ...format, decimals: null, isShort: false })
  return exact === formatComputed(value, format) ? undefined : exact
}

/** The same number where there is little room, such as at the ticks of an axis. */
export const formatShort = (value: number, format: FieldFormat): string => writeShortNumber(value, format)

/** As many decimals as `formatFigure` gives: two, or three digits of a value below 1. */
function computedDigits(value: number, { style }: FieldFormat): number {
  if (style === 'percent') return 1
  const size = Math.abs(value)
  return size >= 1 || size === 0 ? 2 : Math.min(20, 2 - Math.floor(Math.log10(size)))
}

/** Whose time it is that dates of contacts are shown in; null where it is that of the person's own place. */
export function zoneNote(): string | null {
  const zone = accountTimeZone()
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone === undefined || zone === own ? null : `Dates are in the time zone ${zone.replaceAll('_', ' ')}.`
}
