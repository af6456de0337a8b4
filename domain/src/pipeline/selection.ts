import { isDay } from '../days.ts'
import { findEventField } from '../event-fields.ts'
import type { Grouping, GroupKey } from './grouping.ts'
import { dayText, rangesOf } from './periods.ts'
import { type DatePart, eventPrefix, isPeriod, type Period, type Term } from './pipeline.ts'
import { all, anyOf, fieldTerm, plainName } from './terms.ts'

/** Terms on contacts, and those on one event of theirs. */
export type Selection = { contacts: Term[]; events: Term[] }

/** The contacts or events in one group, or in any of several. `keys` of each row are in the order of the grouping. */
export type GroupRow = readonly unknown[]

/** The selection of one group, by the values of its keys. `asParts`: of dates, instead of ranges of days. */
export function selectionOf({ keys }: Pick<Grouping, 'keys'>, row: GroupRow, { asParts = false } = {}): Selection {
  const selection: Selection = { contacts: [], events: [] }
  keys.forEach((key, at) => {
    const terms = termsOfKey(key, at, { keys, row, asParts })
    ;(isOfEvents(key) ? selection.events : selection.contacts).push(...terms)
  })
  return selection
}

export const isOfEvents = ({ field }: Pick<GroupKey, 'field'>): boolean => field.startsWith(eventPrefix)

type Around = { keys: GroupKey[]; row: GroupRow; asParts: boolean }

function termsOfKey(key: GroupKey, at: number, { keys, row, asParts }: Around): Term[] {
  const value = row[at] ?? null
  const field = plainName(key.field)
  if (key.part === null) return [valueTerm(key, [value])]
  if (isPeriod(key.part)) return periodTerms(key.field, key.part, [value])
  if (value === null) return [fieldTerm(field, value)]
  const test = fieldTerm(field, { [`$${key.part}`]: value })
  if (asParts) return [test]
  const partOf = (part: DatePart): unknown => row[keys.findIndex((one) => one.field === key.field && one.part === part)]
  const [year, month] = [partOf('year'), partOf('month')]
  if (isWhole(year, 1, 9999) && (month === undefined || month === null || isWhole(month, 1, 12))) {
    // The key of the year covers both.
    if (key.part === 'month') return []
    if (key.part === 'year') return [daysOf(field, year, month ?? null)]
  }
  return [test]
}

/**
 * Any of several values of a key that is no part of a date. A custom field of events has no declared type: a text is also
 * found by what numbers and yes or no look like, which are groups of their own, so these are left out.
 */
export function valueTerm(key: Pick<GroupKey, 'field'>, values: readonly unknown[]): Term {
  const field = plainName(key.field)
  const [value] = values
  const isCustom = isOfEvents(key) && !findEventField(field)
  const others = isCustom ? values.flatMap(readAlike).filter((other) => !values.includes(other)) : []
  if (values.length > 1) return fieldTerm(field, { $in: values, ...(others.length > 0 && { $nin: others }) })
  return fieldTerm(field, others.length > 0 ? { $eq: value, $ne: others[0] } : value)
}

/** The number or boolean that a text looks like. */
function readAlike(value: unknown): (number | boolean)[] {
  if (value === 'true' || value === 'false') return [value === 'true']
  return typeof value === 'string' && isNumberText(value) ? [Number(value)] : []
}

/** The days of any of several periods, by their first days, in the form that rows of the filter builder have. */
export function periodTerms(of: string, period: Period, values: readonly unknown[]): Term[] {
  const field = plainName(of)
  const days = values.filter(isDayText)
  // No value, and what is none: the filter says why.
  const others = values.filter((value) => !isDayText(value)).map((value) => [fieldTerm(field, value)])
  const ranges = rangesOf(days, period).map(({ from, to }) => [
    fieldTerm(field, { $gte: from }),
    fieldTerm(field, { $lte: to }),
  ])
  const [first = [], ...more] = [...ranges, ...others]
  return more.length === 0 ? first : [anyOf([first, ...more].map(all))]
}

export const isDayText = (value: unknown): value is string => typeof value === 'string' && isDay(value)

const isNumberText = (text: string): boolean => text.trim() === text && text !== '' && Number.isFinite(Number(text))

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

/** The days of a year or month, both ends included. An index on the date finds them. */
function daysOf(field: string, year: number, month: number | null): Term {
  const from = dayText(year, month ?? 1, 1)
  // Day 0 of a month is the last of the one before.
  const until = dayText(year, (month ?? 12) + 1, 0)
  return fieldTerm(field, { $gte: from, $lte: until })
}
