import type { DatePartOperator } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import type { Sql } from './filter-field.ts'

const parts: Record<DatePartOperator, Sql> = {
  $year: sql`year`,
  $month: sql`month`,
  $dayOfMonth: sql`day`,
  $hour: sql`hour`,
  $dayOfWeek: sql`dow`,
}

/** A part of a date in a time zone, as an integer. Days of the week are 1 (Sunday) to 7. */
export function datePart(operator: DatePartOperator, date: Sql, timeZone: string): Sql {
  const add = operator === '$dayOfWeek' ? sql` + 1` : sql``
  return sql`(extract(${parts[operator]} FROM ${date} AT TIME ZONE ${timeZone}::text)::int${add})`
}
