import type { FieldType } from '@portico/contract/contacts'
import { eventFields } from '@portico/domain/event-fields'
import { isDateType } from '@portico/domain/field-types'
import type { Stages } from '@portico/contract/filter'
import { findByName } from '@portico/contract/names'
import { conditionIn, type FilterField } from '#domain/filters'
import { type GroupKey, keyText } from './key-text.ts'

export type Row = Record<string, unknown>

/**
 * `keys` and `values` are the columns; empty where the stages do more than group. `sums` are those values whose groups may
 * be added up: numbers and sums of contacts, but no averages, minima or maxima.
 */
export type Grouping = { keys: GroupKey[]; values: string[]; sums: string[] }

const parts = ['year', 'month', 'dayOfMonth', 'hour', 'dayOfWeek']
const eventPrefix = 'events.'

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

function typeOf(field: string, fields: readonly FilterField[]): FieldType {
  if (field.startsWith(eventPrefix)) {
    const name = field.slice(eventPrefix.length)
    return name in eventFields ? eventFields[name as keyof typeof eventFields] : 'string'
  }
  return findByName(fields, ({ name }) => name)(field)?.type ?? 'string'
}

function keyOf(name: string, spec: unknown, fields: readonly FilterField[]): GroupKey | null {
  if (typeof spec === 'string' && spec.startsWith('$')) {
    const field = spec.slice(1)
    return { name, field, part: null, type: typeOf(field, fields) }
  }
  const [entry, ...more] = isObject(spec) ? Object.entries(spec) : []
  const part = parts.find((known) => entry?.[0] === `$${known}`)
  if (!entry || !part || more.length > 0 || typeof entry[1] !== 'string') return null
  const field = entry[1].slice(1)
  const type = typeOf(field, fields)
  return { name, field, part, type: isDateType(type) ? type : 'date' }
}

/** The grouping of the last `$group`; null without one, or for one with unknown keys. */
export function groupingOf(stages: Stages, fields: readonly FilterField[]): Grouping | null {
  const group = stages.findLast((stage) => '$group' in stage)?.['$group']
  if (!isObject(group)) return null
  const { _id: id, ...values } = group
  const isSeveral = isObject(id) && !Object.keys(id).some((name) => name.startsWith('$'))
  const specs = id === null ? [] : isSeveral ? Object.entries(id) : ([['_id', id]] as const)
  const keys = specs.map(([name, spec]) => keyOf(name, spec, fields))
  const known = keys.filter((key) => key !== null)
  const sums = Object.keys(values).filter((name) => isSum(values[name]))
  return known.length === keys.length ? { keys: known, values: Object.keys(values), sums } : null
}

const isSum = (spec: unknown): boolean => isObject(spec) && ('$sum' in spec || '$count' in spec)

const partWords: Record<string, string> = { dayOfMonth: 'day of month', dayOfWeek: 'day of week' }

/** The part of a date that a condition asks for, in words: 'Joined (month) is May'; null for any other condition. */
function datePartOf(condition: unknown): string | null {
  const [entry, ...more] = isObject(condition) ? Object.entries(condition) : []
  if (!entry || more.length > 0 || !isObject(entry[1])) return null
  const [test, ...others] = Object.entries(entry[1])
  const part = parts.find((known) => test?.[0] === `$${known}`)
  if (!test || !part || others.length > 0) return null
  const [field] = entry
  const name = `${field} (${partWords[part] ?? part})`
  return `${name} is ${keyText(test[1], { name, field, part, type: 'date' })}`
}

/** Stages with tests of parts of dates ('any May'), as stages without them and those tests in words; null without any. */
export function datePartsOf(stages: Stages): { base: Stages; parts: string[] } | null {
  const found: string[] = []
  const base = stages.flatMap((stage): Stages => {
    const all = conditionIn(stage)
    const conditions = isObject(all) && Array.isArray(all['$and']) ? (all['$and'] as unknown[]) : [all]
    const left = conditions.filter((condition) => {
      const text = datePartOf(condition)
      if (text !== null) found.push(text)
      return text === null
    })
    if (left.length === conditions.length) return [stage]
    return left.length === 0 ? [] : [{ $match: left.length === 1 ? left[0] : { $and: left } }]
  })
  return found.length > 0 ? { base, parts: found } : null
}
