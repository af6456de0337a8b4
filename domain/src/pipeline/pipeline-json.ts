import { parseAccumulator, writeAccumulator } from './accumulator-json.ts'
import { parseCondition, writeCondition } from './condition-json.ts'
import {
  dateParts,
  type Group,
  isObject,
  isPeriod,
  type Key,
  type KeyPart,
  periods,
  type Pipeline,
  type Row,
  type Stage,
} from './pipeline.ts'

/** Whether a stage has one operator, and none that the language lacks. */
export const isKnownStage = (json: Row): boolean => {
  const [name = '', ...more] = Object.keys(json)
  return more.length === 0 && operators.includes(name)
}

const operators = '$match $predefined $unwind $group $addFields $project $sort $skip $limit $count'.split(' ')

/**
 * Reads stages of the filter language. Every list of objects is a pipeline: a stage that cannot be read is kept as it is,
 * since only the compiler knows the fields and has a message for each fault. `writePipeline` is the way back.
 */
export const parsePipeline = (stages: readonly Row[]): Pipeline => stages.map(parseStage)

/** Reads a value that may be anything; null where it is not a list of objects. */
export const readPipeline = (json: unknown): Pipeline | null =>
  Array.isArray(json) && json.every(isObject) ? parsePipeline(json) : null

/** Reads JSON text of stages, as addresses and saved filters have it; null for any other text. */
export function parsePipelineText(text: string): Pipeline | null {
  try {
    return readPipeline(JSON.parse(text))
  } catch {
    return null
  }
}

/** Writes the text that `parsePipelineText` reads. */
export const formatPipeline = (pipeline: Pipeline): string => JSON.stringify(writePipeline(pipeline))

function parseStage(json: Row): Stage {
  const [entry, ...more] = Object.entries(json)
  return (entry && more.length === 0 && parseOperator(...entry)) || { kind: 'unread', json }
}

function parseOperator(operator: string, value: unknown): Stage | null {
  switch (operator) {
    case '$match': {
      const condition = parseCondition(value)
      return condition && { kind: 'match', condition }
    }
    case '$predefined':
      return typeof value === 'string' ? { kind: 'saved', id: value } : null
    case '$unwind':
      return { kind: 'unwind', of: value }
    case '$group':
      return parseGroup(value)
    case '$addFields':
      return isObject(value) ? { kind: 'addFields', fields: value } : null
    case '$project':
      return isObject(value) ? { kind: 'project', choices: value } : null
    case '$sort':
      return isObject(value) ? { kind: 'sort', order: value } : null
    case '$skip':
      return typeof value === 'number' ? { kind: 'skip', rows: value } : null
    case '$limit':
      return typeof value === 'number' ? { kind: 'limit', rows: value } : null
    case '$count':
      return typeof value === 'string' ? { kind: 'count', name: value } : null
    default:
      return null
  }
}

function parseGroup(json: unknown): Group | null {
  if (!isObject(json) || !Object.hasOwn(json, '_id')) return null
  const { _id: id, ...values } = json
  const isNamed = isObject(id) && !Object.keys(id).some((name) => name.startsWith('$'))
  const keys = isNamed ? Object.entries(id) : id === null ? [] : [['_id', id] as const]
  return {
    kind: 'group',
    keys: keys.map(([name, key]) => parseKey(name, key)),
    isNamed,
    values: Object.entries(values).map(([name, value]) => parseAccumulator(name, value)),
  }
}

function parseKey(name: string, key: unknown): Key {
  const field = parsePath(key)
  if (field !== null) return { kind: 'field', name, field, part: null }
  const [entry, ...more] = isObject(key) ? Object.entries(key) : []
  const [part, dated] = entry && more.length === 0 ? parseDated(...entry) : []
  return part && typeof dated === 'string'
    ? { kind: 'field', name, field: dated, part }
    : { kind: 'computed', name, expression: key }
}

/** The part or period of a date, and the field of the date. */
function parseDated(operator: string, of: unknown): [KeyPart | undefined, string | null] {
  if (operator !== '$dateTrunc') return [dateParts.find((known) => operator === `$${known}`), parsePath(of)]
  const { date, unit, ...others } = isObject(of) ? of : {}
  const isPlain = Object.keys(others).length === 0
  return [isPlain ? periods.find((known) => known === `by ${String(unit)}`) : undefined, parsePath(date)]
}

const parsePath = (path: unknown): string | null =>
  typeof path === 'string' && path.startsWith('$') ? path.slice(1) : null

/** Writes what `parsePipeline` has read; of a group, its keys first. */
export const writePipeline = (pipeline: Pipeline): Row[] => pipeline.map(writeStage)

function writeStage(stage: Stage): Row {
  switch (stage.kind) {
    case 'match':
      return { $match: writeCondition(stage.condition) }
    case 'saved':
      return { $predefined: stage.id }
    case 'unwind':
      return { $unwind: stage.of }
    case 'group':
      return { $group: writeGroup(stage) }
    case 'addFields':
      return { $addFields: stage.fields }
    case 'project':
      return { $project: stage.choices }
    case 'sort':
      return { $sort: stage.order }
    case 'skip':
    case 'limit':
      return { [`$${stage.kind}`]: stage.rows }
    case 'count':
      return { $count: stage.name }
    case 'unread':
      return stage.json
  }
}

function writeGroup({ keys, isNamed, values }: Group): Row {
  const named = keys.map((key) => [key.name, writeKey(key)] as const)
  return {
    _id: isNamed ? Object.fromEntries(named) : (named[0]?.[1] ?? null),
    ...Object.fromEntries(values.map((value) => [value.name, writeAccumulator(value)])),
  }
}

function writeKey(key: Key): unknown {
  if (key.kind === 'computed') return key.expression
  if (isPeriod(key.part)) return { $dateTrunc: { date: `$${key.field}`, unit: key.part.slice(3) } }
  return key.part === null ? `$${key.field}` : { [`$${key.part}`]: `$${key.field}` }
}
