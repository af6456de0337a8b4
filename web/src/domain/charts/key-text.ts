import { datePartText } from '@portico/domain/dashboards/date-part-words'
import type { GroupKey } from '@portico/domain/pipeline/grouping'
import { formatValue } from './field-value.ts'

/** Text of a group's value: months and days of the week by name, years without separators, periods such as Oct 2026. */
export function keyText(value: unknown, key: GroupKey | undefined): string {
  if (value === null || value === undefined || value === '') return '(no value)'
  if (key?.part && (typeof value === 'number' || typeof value === 'string')) return datePartText(value, key.part)
  return formatValue(value, key?.type, key?.format)
}
