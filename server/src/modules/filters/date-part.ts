import type { DatePartOperator, DateUnit } from '@portico/contract/filter-stages'
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
  return sql`(extract(${parts[operator]} FROM ${localTime(date, timeZone)})::int${add})`
}

const units: Record<DateUnit, Sql> = {
  day: sql`'day'`,
  week: sql`'week'`,
  month: sql`'month'`,
  quarter: sql`'quarter'`,
  year: sql`'year'`,
}

/** The first day, a `date`, of the period that a moment in a time zone, or a day, is in. Weeks begin on Monday. */
export function periodStart(unit: DateUnit, date: Pick<FilterField, 'type' | 'sql'>, timeZone: string): Sql {
  return sql`date_trunc(${units[unit]}, ${localTime(date, timeZone)})::date`
}

const localTime = (date: Pick<FilterField, 'type' | 'sql'>, timeZone: string): Sql =>
  date.type === 'day' ? sql`${date.sql}::timestamp` : sql`${date.sql} AT TIME ZONE ${timeZone}::text`
