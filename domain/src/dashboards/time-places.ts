import { addDays, type DayRange, dayCount, isDay } from '../days.ts'
import { isDateType } from '../field-types.ts'
import type { GroupKey, Grouping } from '../pipeline/grouping.ts'
import { periodsFrom } from '../pipeline/periods.ts'
import { isPeriod, type Period, type Row } from '../pipeline/pipeline.ts'

/** A value of a key. */
export type PlaceValue = string | number | boolean | null

export const toPlace = (value: unknown): PlaceValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

/** The different values of a key: dates and their parts in their own order, all else as the rows come. */
export function placesOf(rows: readonly Row[], { name, type }: Pick<GroupKey, 'name' | 'type'>): PlaceValue[] {
  const all = [...new Set(rows.map((row) => toPlace(row[name])))]
  if (!isDateType(type)) return all
  return all.toSorted((one, other) => {
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1
    return one < other ? -1 : one > other ? 1 : 0
  })
}

/** Beyond this many places, empty ones would leave no room for the others. */
const mostPlaces = 400

/** The same for periods, whose course of time is what is asked for: ten years of days. */
const mostPeriods = 4000

/**
 * Whether a period without a group is known to be empty: the first key is a day, a period or a part of a date, and no stage
 * after the group leaves out groups that are between others.
 */
export const knowsEmptyPeriods = (grouping: Grouping, rows: readonly Row[]): boolean => {
  const [first] = grouping.keys
  return first !== undefined && (first.part !== null || first.type === 'day') && keepsAllBetween(grouping, rows)
}

/** Whether no stage after the group leaves out groups that are between others. */
export const keepsAllBetween = ({ most, isRun }: Grouping, rows: readonly Row[]): boolean =>
  most === undefined || isRun === true || rows.length < most

/**
 * The values of a key in time, with those that no group has between the first and the last: June never stands beside
 * February. Unchanged where they are in another order, such as that of the largest group.
 */
export const withEmptyPeriods = (values: readonly PlaceValue[], key: GroupKey): PlaceValue[] =>
  fillPeriods(values, key) ?? [...values]

/** The same; null where values are in another order, or too far apart. */
export function fillPeriods(values: readonly PlaceValue[], key: GroupKey): PlaceValue[] | null {
  const known = values.filter((value) => value !== null)
  const others = values.filter((value) => value === null)
  const between = isPeriod(key.part)
    ? periodsBetween(known, key.part)
    : key.part === null
      ? daysBetween(known)
      : numbersBetween(known)
  return between && [...between, ...others]
}

function numbersBetween(values: readonly PlaceValue[]): number[] | null {
  const numbers = values.filter((value) => Number.isInteger(value)) as number[]
  const [first, last] = [numbers[0], numbers.at(-1)]
  if (first === undefined || last === undefined || numbers.length < values.length) return null
  const step = first <= last ? 1 : -1
  const count = Math.abs(last - first) + 1
  if (count > mostPlaces || !numbers.every((value, at) => at === 0 || (value - (numbers[at - 1] ?? 0)) * step > 0))
    return null
  return Array.from({ length: count }, (_, at) => first + at * step)
}

/** Days are in their own order already. */
const daysIn = (values: readonly PlaceValue[]): string[] =>
  values.filter((value) => typeof value === 'string' && isDay(value)) as string[]

function periodsBetween(values: readonly PlaceValue[], period: Period): string[] | null {
  const days = daysIn(values)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || days.length < values.length) return null
  return periodsFrom(first, last, period, mostPeriods)
}

function daysBetween(values: readonly PlaceValue[]): string[] | null {
  const days = daysIn(values)
  const range: DayRange = { from: days[0] ?? '', to: days.at(-1) ?? '' }
  if (days.length === 0 || days.length < values.length || dayCount(range) > mostPlaces) return null
  return Array.from({ length: dayCount(range) }, (_, at) => addDays(range.from, at))
}
