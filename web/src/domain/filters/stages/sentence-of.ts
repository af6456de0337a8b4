import { type DatePart, isPeriod } from '@portico/domain/pipeline/pipeline'
import { isDateType } from '@portico/contract/contacts'
import { formatDay, formatNumber } from '#lib/formats.ts'
import type {
  Condition,
  EventRow,
  Figure,
  Filter,
  GroupBy,
  GroupKey,
  Measure,
  MeasureOperator,
  Operator,
} from './filter.ts'
import { numberOf } from './filter-values.ts'
import { itemsOf } from './value-list.ts'

const words: Record<Operator, string> = {
  '=': 'is',
  '!=': 'is not',
  contains: 'contains',
  starts: 'starts with',
  ends: 'ends with',
  '>': 'is more than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
  in: 'is',
  nin: 'is none of',
  regex: 'matches the expression',
  filled: 'has a value',
  empty: 'has no value',
}
const dateWords: Partial<Record<Operator, string>> = {
  '>': 'is after',
  '>=': 'is on or after',
  '<': 'is before',
  '<=': 'is on or before',
}

/**
 * The filter as one English sentence: "Contacts whose City is “Paris” and Age is at least 40". `predefinedName` is the
 * saved filter's name, if the caller knows it; `noun` names the filtered records.
 */
export function sentenceOf(filter: Filter, predefinedName?: string, noun = 'contacts'): string {
  if (filter.advanced !== null) return 'A filter that can only be shown as text.'
  if (filter.predefined !== null) {
    return `Contacts of ${predefinedName === undefined ? 'a saved filter' : `the saved filter ${quoted(predefinedName)}`}.`
  }
  const conditions = filter.standard.map(conditionText)
  const others = [
    ...filter.behavioral.map(eventText),
    ...(filter.location ? [placeText(filter.location)] : []),
    ...(filter.fullText ? [`with the words ${quoted(filter.fullText)}`] : []),
  ]
  const which = [...(conditions.length > 0 ? [`whose ${listed(conditions)}`] : []), ...others]
  const found = which.length === 0 ? `All ${noun}` : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${clauses(which)}`
  return `${found}${columnsText(filter)}${orderText(filter)}${filter.groupBy ? `, ${groupText(filter.groupBy)}` : ''}.`
}

export const quoted = (text: string): string => `“${text}”`

/** Items with commas, and an 'and' or 'or' before the last. */
export function listed(parts: string[], last: 'and' | 'or' = 'and'): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`
}

/** With a comma even before the last: the items may contain an "and" themselves. */
const clauses = (parts: string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`

/** A row of the builder: 'City is “Paris”'. */
export function conditionText({ field, type, operator, value }: Condition): string {
  if (operator === 'filled' || operator === 'empty') return `${field} ${words[operator]}`
  if (value === '') return `${field} ${operator === '=' ? words.empty : words.filled}`
  const verb = (isDateType(type) ? dateWords[operator] : undefined) ?? words[operator]
  return `${field} ${verb} ${valueText(type, operator, value)}`
}

/** Maximum number of a list's values that are named; the last item gives the number of the others. */
const namedValues = 10

function valueText(type: Condition['type'], operator: Operator, value: string): string {
  const one = (text: string): string => {
    if (isDateType(type)) return formatDay(text)
    if (type === 'number' && Number.isFinite(numberOf(text))) return String(numberOf(text))
    return type === 'string' ? quoted(text) : text
  }
  if (operator !== 'in' && operator !== 'nin') return one(value)
  const items = itemsOf(value)
  const named = items.length > namedValues ? items.slice(0, namedValues - 1) : items
  const more = items.length - named.length
  // Conditions are joined by "and".
  return listed([...named.map(one), ...(more > 0 ? [`${formatNumber(more)} more`] : [])], 'or')
}

/** The events of a contact that have a row: 'with an event whose …'. */
export const eventText = ({ conditions }: EventRow): string =>
  conditions.length === 0 ? 'with an event' : `with an event whose ${listed(conditions.map(conditionText))}`

export const placeText = ({ distance, latitude, longitude }: NonNullable<Filter['location']>): string =>
  `within ${distance} ${distance === 1 ? 'mile' : 'miles'} of ${latitude}, ${longitude}`

/** Maximum number of columns that are named; above it, only their number is given. */
const namedColumns = 5

function columnsText({ columns, groupBy }: Filter): string {
  if (columns.length === 0 || groupBy) return ''
  return `, showing ${columns.length > namedColumns ? `${columns.length} columns` : listed(columns)}`
}

const orderText = ({ sort, groupBy }: Filter): string =>
  sort && !groupBy ? `, sorted by ${sort.field}${sort.order === 1 ? '' : ', last first'}` : ''

export const partWords: Record<DatePart, string> = {
  year: 'year',
  month: 'month',
  dayOfMonth: 'day of the month',
  hour: 'hour',
  dayOfWeek: 'day of the week',
}

function keyText({ field, part }: GroupKey): string {
  if (part === null) return field
  return isPeriod(part) ? `each ${part.slice(3)} of ${field}` : `the ${partWords[part]} of ${field}`
}

const measureWords: Record<Exclude<MeasureOperator, 'count'>, string> = {
  sum: 'sum',
  avg: 'average',
  min: 'lowest value',
  max: 'highest value',
  size: 'number of different values',
}

const measureText = ({ divisor, ...figure }: Measure): string =>
  divisor ? `${figureText(figure, 'the count')} divided by ${figureText(divisor, 'the count')}` : figureText(figure)

function figureText({ operator, field, conditions = [] }: Figure, count = 'counted'): string {
  const plain = operator === 'count' ? count : `the ${measureWords[operator]} of ${field}`
  return conditions.length === 0 ? plain : `${plain} where ${listed(conditions.map(conditionText))}`
}

function groupText({ id, id2, isOfEvents, events, measures, sortBy, sort, limit }: GroupBy): string {
  const keys = listed([keyText(id), ...(id2 ? [keyText(id2)] : [])])
  const of = events.length > 0 ? `events whose ${listed(events.map(conditionText))} ` : isOfEvents ? 'events ' : ''
  const values = measures.length === 0 ? 'each value once' : listed(measures.map(measureText))
  const order =
    sortBy === null ? null : sortBy === 'id' ? (sort === 1 ? 'first to last' : 'last to first') : orderWords(sort)
  const parts = [values, order, limit === null ? null : `at most ${limit}`].filter((part) => part !== null)
  return `${of}grouped by ${keys}: ${parts.join(', ')}`
}

const orderWords = (sort: 1 | -1): string => (sort === 1 ? 'least first' : 'most first')
