import type { FieldType } from '@portico/contract/contacts'
import { datePartText } from '@portico/contract/dashboards/date-part-words'
import { formatValue } from './field-value.ts'

/** A key of a grouping: name of its column, field and, for dates, the part (`month`). */
export type GroupKey = { name: string; field: string; part: string | null; type: FieldType }

/** Text of a group's value: months and days of the week by name, years without separators. */
export function keyText(value: unknown, key: GroupKey | undefined): string {
  if (value === null || value === undefined || value === '') return '(no value)'
  if (typeof value === 'number' && key?.part) return datePartText(value, key.part)
  return formatValue(value, key?.type)
}
