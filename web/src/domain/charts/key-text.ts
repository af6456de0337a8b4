import { datePartText } from '@portico/domain/dashboards/date-part-words'
import type { GroupKey } from '@portico/domain/pipeline/grouping'
import { formatValue } from './field-value.ts'

/** Text of a group's value: months and days of the week by name, years without separators. */
export function keyText(value: unknown, key: GroupKey | undefined): string {
  if (value === null || value === undefined || value === '') return '(no value)'
  if (typeof value === 'number' && key?.part) return datePartText(value, key.part)
  return formatValue(value, key?.type, key?.format)
}
