import { eventFields, findEventField } from '../event-fields.ts'
import type { FieldFormat } from '../field-format.ts'
import { type FieldType, internalFields, isDateType } from '../field-types.ts'
import { findByName, isSameName } from '../names.ts'
import {
  type Accumulator,
  eventPrefix,
  type Group,
  isPeriod,
  type Key,
  type KeyPart,
  type Pipeline,
  type Stage,
} from './pipeline.ts'

/**
 * A key of a grouping: the name of its column, its field and, for dates, the part (`month`) or the period (`by month`). `type`
 * is that of the field, and `day` for a period, whose value is its first day.
 */
export type GroupKey = {
  name: string
  field: string
  part: KeyPart | null
  type: FieldType
  format?: FieldFormat | undefined
}

/**
 * `keys` and `values` are the columns of the rows. `sums` are those values whose groups may be added up: numbers and sums
 * of contacts, but no averages, minima or maxima. `formats`: of those values whose field has one. `most`: how many groups
 * the stages after the group keep; 0 where they choose some; absent where they keep all. `isRun`: those that they keep follow
 * each other in the order of the only key, so that none is left out between the first and the last.
 */
export type Grouping = {
  keys: GroupKey[]
  values: string[]
  sums: string[]
  formats?: Record<string, FieldFormat>
  most?: number
  isRun?: boolean
}

/** Fields of contacts, as the catalogue of the account lists them. Only numbers have a format, and few of them. */
export type KnownField = { name: string; type: FieldType; format?: FieldFormat | undefined }

/** The format of a field of contacts; undefined for the usual one. */
export const formatOf = (field: string, fields: readonly KnownField[]): FieldFormat | undefined =>
  findByName([...fields, ...internalFields], ({ name }) => name)(field)?.format

/** The type of a field of contacts, or of events (`events.event_date`); null for one that the account lacks. */
export function typeOf(field: string, fields: readonly KnownField[]): FieldType | null {
  if (field.startsWith(eventPrefix)) {
    const name = findEventField(field.slice(eventPrefix.length))
    return name ? eventFields[name] : 'string'
  }
  return findByName([...fields, ...internalFields], ({ name }) => name)(field)?.type ?? null
}

/** The kind of rows that a pipeline makes. */
export function readRowKind(pipeline: Pipeline): 'contacts' | 'events' | 'groups' {
  if (pipeline.some(({ kind }) => kind === 'group')) return 'groups'
  return pipeline.some(({ kind }) => kind === 'unwind') ? 'events' : 'contacts'
}

/** The last group of a pipeline, and its place; null without one. */
export function findGroup(pipeline: Pipeline): { at: number; group: Group } | null {
  const at = pipeline.findLastIndex(({ kind }) => kind === 'group')
  const group = pipeline[at]
  return group?.kind === 'group' ? { at, group } : null
}

/**
 * The grouping of the last group. Null without one, or for keys that are neither fields nor parts of dates: no condition
 * could say which contacts are in such a group.
 */
export function readGrouping(pipeline: Pipeline, fields: readonly KnownField[]): Grouping | null {
  const found = findGroup(pipeline)
  if (!found || !selectsContacts(pipeline.slice(0, found.at))) return null
  const keys = found.group.keys.map((key) => readKey(key, fields)).filter((key) => key !== null)
  const later = pipeline.slice(found.at + 1)
  if (keys.length < found.group.keys.length || keys.some(({ name }) => computesColumn(later, name))) return null
  return { keys, ...readValues(found, pipeline, fields) }
}

function readKey(key: Key, fields: readonly KnownField[]): GroupKey | null {
  if (key.kind === 'computed') return null
  const { name, field, part } = key
  const type = typeOf(field, fields)
  if (type === null || (part !== null && !isDateType(type))) return null
  const format = formatOf(field, fields)
  return { name, field, part, type: isPeriod(part) ? 'day' : type, ...(format && { format }) }
}

/**
 * The grouping of the last group, to show its rows: keys that another stage computes are plain values. Null without a
 * group, or for keys that are expressions.
 */
export function readShownGrouping(pipeline: Pipeline, fields: readonly KnownField[]): Grouping | null {
  const found = findGroup(pipeline)
  if (!found) return null
  const [before, later] = [pipeline.slice(0, found.at), pipeline.slice(found.at + 1)]
  const keys = found.group.keys.flatMap((key): GroupKey[] => {
    if (key.kind === 'computed') return []
    const { name, field, part } = key
    if (computesColumn(later, name)) return [{ name, field, part: null, type: 'string' }]
    const { type, format } = originOf(before, field, fields)
    if (isPeriod(part)) return [{ name, field, part, type: 'day' }]
    if (part !== null) return [{ name, field, part, type: isDateType(type) ? type : 'date' }]
    return [{ name, field, part, type: type ?? 'string', ...(format && { format }) }]
  })
  return keys.length < found.group.keys.length ? null : { keys, ...readValues(found, pipeline, fields) }
}

/** The type and format of a column of the rows that a pipeline makes, of the field behind it; no type where it is computed. */
function originOf(
  pipeline: Pipeline,
  column: string,
  fields: readonly KnownField[],
): { type: FieldType | null; format?: FieldFormat | undefined } {
  const at = pipeline.findLastIndex((stage) => stage.kind === 'group' || computesColumn([stage], column))
  const stage = pipeline[at]
  if (!stage) return { type: typeOf(column, fields), format: formatOf(column, fields) }
  const key = stage.kind === 'group' ? stage.keys.find(({ name }) => isSameName(name, column)) : undefined
  if (key?.kind !== 'field') return { type: null }
  if (isPeriod(key.part)) return { type: 'day' }
  return key.part === null ? originOf(pipeline.slice(0, at), key.field, fields) : { type: null }
}

/** Whether the stages after a group replace one of its columns by a value of their own. */
const computesColumn = (later: Pipeline, column: string): boolean =>
  later.flatMap(listComputed).some((name) => isSameName(name, column))

/** Names of the columns that a stage computes. */
function listComputed(stage: Stage): string[] {
  if (stage.kind !== 'addFields' && stage.kind !== 'project') return []
  const columns = stage.kind === 'addFields' ? stage.fields : stage.choices
  return Object.keys(columns).filter((name) => !isChoice(columns[name]))
}

/** Whether a value in a `$project` only says if a column is shown. */
export const isChoice = (value: unknown): boolean => [0, 1, true, false].includes(value as never)

/** Whether the values of groups may be added up. */
export const addsUp = ({ operator }: Pick<Accumulator, 'operator'>): boolean =>
  operator === 'sum' || operator === 'count'

function readValues(
  { at, group: { keys, values } }: { at: number; group: Group },
  pipeline: Pipeline,
  fields: readonly KnownField[],
): Omit<Grouping, 'keys'> {
  const sums = values.filter(addsUp)
  const [before, later] = [pipeline.slice(0, at), pipeline.slice(at + 1)]
  const formats = values.flatMap((value) => {
    const format = computesColumn(later, value.name) ? undefined : readFormat(value, before, fields)
    return format ? [[value.name, format] as const] : []
  })
  return {
    values: values.map(({ name }) => name),
    sums: sums.map(({ name }) => name),
    ...(formats.length > 0 && { formats: Object.fromEntries(formats) }),
    ...readMost(later),
    ...(keepsRun(later, keys) && { isRun: true }),
  }
}

/** Whether the stages after a group keep groups that follow each other. Until they are sorted, groups are in the order of their keys. */
function keepsRun(later: Pipeline, [key, ...others]: readonly Key[]): boolean {
  if (!key || others.length > 0 || readMost(later).most === undefined) return false
  let isByKey = true
  return later.every((stage) => {
    if (stage.kind === 'sort') isByKey = isSameName(Object.keys(stage.order)[0] ?? '', key.name)
    if (stage.kind === 'limit' || stage.kind === 'skip') return isByKey
    return ['addFields', 'project', 'sort'].includes(stage.kind)
  })
}

/** How many groups the stages after a group keep. */
function readMost(later: Pipeline): Pick<Grouping, 'most'> {
  const kept = later.flatMap((stage) => {
    if (stage.kind === 'limit') return [stage.rows]
    return ['addFields', 'project', 'sort'].includes(stage.kind) ? [] : [0]
  })
  return kept.length > 0 ? { most: Math.min(...kept) } : {}
}

/** Operators whose values are of the kind of the field's own. */
const keepsKind = ['sum', 'avg', 'min', 'max']

const percentFormat: FieldFormat = { style: 'percent', decimals: null, currency: null }

/** The format of a value computed of a field. A sum of years or ids is none of them. A ratio is a percentage. */
function readFormat({ operator, of, ratio }: Accumulator, before: Pipeline, fields: readonly KnownField[]) {
  if (ratio) return percentFormat
  if (operator === null || !keepsKind.includes(operator)) return undefined
  const format = typeof of === 'string' && of.startsWith('$') ? originOf(before, of.slice(1), fields).format : undefined
  return operator === 'sum' && format?.style === 'plain' ? undefined : format
}

/** Whether the stages choose contacts or their events, and compute nothing. */
export const selectsContacts = (pipeline: Pipeline): boolean =>
  pipeline.every(({ kind }) => kind === 'match' || kind === 'unwind' || kind === 'saved')
