import type { FieldType } from '@portico/contract/contacts'
import { filterLimits } from '@portico/contract/filter'
import { messages } from '@portico/contract/messages'
import { type Condition, isId, type Place, valuelessOperators } from './filter.ts'
import { itemsOf, withoutThousands } from './value-list.ts'

/** Problem of a condition's value, in the words of specification 3 §5; null for a valid one. */
export function valueProblem({ field, operator, type, value }: Condition): string | null {
  if (valuelessOperators[operator] !== undefined) return null
  const isEquality = operator === '=' || operator === '!='
  if (value.trim() === '') {
    // Text equal to an empty value finds contacts without a value; every contact has an id.
    return type === 'string' && isEquality && !isId(field) ? null : messages.required
  }
  if (operator === 'regex') return isRegularExpression(value) ? null : messages.invalid
  const values = operator === 'in' || operator === 'nin' ? itemsOf(value) : [value]
  if (values.length > filterLimits.listValues) return messages.invalid
  const isRight = (one: string): boolean => one !== '' && (isId(field) ? /^\d{1,19}$/.test(one) : isOfType(one, type))
  return values.every(isRight) ? null : messages.invalid
}

function isOfType(text: string, type: FieldType): boolean {
  switch (type) {
    case 'number':
      return isNumber(text)
    case 'date':
    case 'day':
      return isDay(text)
    case 'boolean':
      return text === 'true' || text === 'false'
    case 'string':
      return true
  }
}

/** Accepts numbers as people write them, such as 1,250.75: JavaScript would also accept `0x1F` and an empty text. */
const isNumber = (text: string): boolean =>
  /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(withoutThousands(text).trim()) && Number.isFinite(numberOf(text))

/** The number that a valid text stands for. */
export const numberOf = (text: string): number => Number(withoutThousands(text))

/** Whether the text is yyyy-MM-dd of an existing day. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const two = (number: string | number): string => String(number).padStart(2, '0')

/** A day typed as mm/dd/yyyy, as yyyy-MM-dd; any other text unchanged. */
export function typedDay(text: string): string {
  const [, month, date, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? []
  const day = `${year}-${month}-${date}`
  return isDay(day) ? day : text
}

/** The same, also for days typed with fewer digits: 1/31/2026. */
export function finishedDay(text: string): string {
  const [, month = '', date = '', year] = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(text) ?? []
  return year === undefined ? text : typedDay(`${two(month)}/${two(date)}/${year}`)
}

/** A day as mm/dd/yyyy; other text is unchanged. */
export function shownDay(value: string): string {
  const [year, month, date] = value.split('-')
  return isDay(value) ? `${month}/${date}/${year}` : value
}

/** Today in local time, as yyyy-MM-dd. */
export function today(): string {
  const now = new Date()
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

function isRegularExpression(text: string): boolean {
  if (text.length > filterLimits.patternLength) return false
  try {
    return new RegExp(text).source !== ''
  } catch {
    return false
  }
}

const outside = (value: number, limit: number): boolean => !Number.isFinite(value) || Math.abs(value) > limit

/** Problems of a place, by field. */
export function placeProblems({ distance, latitude, longitude }: Place): Partial<Record<keyof Place, string>> {
  return {
    ...(!(distance > 0) && { distance: messages.invalid }),
    ...(outside(latitude, 90) && { latitude: 'Value should be between -90 and 90!' }),
    ...(outside(longitude, 180) && { longitude: 'Value should be between -180 and 180!' }),
  }
}

/** Problem of the words of a full-text search; null for valid or empty ones. */
export function wordsProblem(text: string): string | null {
  if (text.trim() === '') return null
  // Split as the server splits them.
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  if (words.length > filterLimits.searchWords) return `At most ${filterLimits.searchWords} words can be searched for.`
  return words.length === 0 ? messages.invalid : null
}
