import type { DatePartOperator } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import type { FilterField, Sql } from './filter-field.ts'

const parts: Record<DatePartOperator, Sql> = {
  $year: sql`year`,
  $month: sql`month`,
  $dayOfMonth: sql`day`,
  $hour: sql`hour`,
  $dayOfWeek: sql`dow`,
}

/**
 * A part of a moment in a time zone, or of a day, as an integer. Days of the week are 1 (Sunday) to 7; the hour of a
 * day is 0.
 */
export function datePart(operator: DatePartOperator, date: Pick<FilterField, 'type' | 'sql'>, timeZone: string): Sql {
  const add = operator === '$dayOfWeek' ? sql` + 1` : sql``
  const local = date.type === 'day' ? sql`${date.sql}::timestamp` : sql`${date.sql} AT TIME ZONE ${timeZone}::text`
  return sql`(extract(${parts[operator]} FROM ${local})::int${add})`
}
