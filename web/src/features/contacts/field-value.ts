import type { FieldType } from '@portico/contract/contacts'
import { formatDate, formatNumber } from '#lib/formats.ts'

/** A value of a contact as text; nothing for no value. Values that do not fit the type are shown as they are. */
export function formatValue(value: unknown, type: FieldType = 'string'): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'string') return type === 'date' ? formatDate(value) : value
  return JSON.stringify(value)
}
