import { foldName } from '../names.ts'
import {
  type Accumulator,
  type Condition,
  dateParts,
  type Group,
  isObject,
  type Key,
  type Pipeline,
  type Row,
  type Stage,
  type Term,
} from './pipeline.ts'
import { isChoice } from './grouping.ts'

/** A new name of a field of contacts. */
export type FieldRename = { from: string; to: string }

/** New names of columns, by the folded name before. */
type Renames = ReadonlyMap<string, string>

/** A pipeline with a new name of a field, and the new names of the columns of its rows. */
type Renamed = { pipeline: Pipeline; columnOf: (name: string) => string }

/**
 * Writes a field's new name wherever a pipeline means the field, and not where a column of that name is computed. Columns of
 * groups that are named after the field follow it: `City`, `City (month)` and `sum of City`, as the filter builder writes
 * them.
 */
export function renameField(pipeline: Pipeline, { from, to }: FieldRename): Renamed {
  let renames: Renames = new Map([[foldName(from), to]])
  const stages = pipeline.map((stage) => {
    const [renamed, after] = renameInStage(stage, renames)
    renames = after
    return renamed
  })
  return { pipeline: stages, columnOf: (name) => nameIn(renames, name) }
}

/** A text of the columns that a pipeline names, with each name as it is afterwards. */
const nameIn = (renames: Renames, name: string): string => renames.get(foldName(name)) ?? name

function renameInStage(stage: Stage, renames: Renames): [Stage, Renames] {
  switch (stage.kind) {
    case 'match':
      return [{ kind: 'match', condition: renameInCondition(stage.condition, renames) }, renames]
    case 'group':
      return renameInGroup(stage, renames)
    case 'addFields': {
      const fields = mapValues(stage.fields, (value) => renameInExpression(value, renames))
      return [{ kind: 'addFields', fields }, without(renames, Object.keys(fields))]
    }
    case 'project': {
      const chosen = Object.entries(stage.choices).map(([name, value]): [string, unknown] =>
        isChoice(value) ? [nameIn(renames, name), value] : [name, renameInExpression(value, renames)],
      )
      const computed = Object.keys(stage.choices).filter((name) => !isChoice(stage.choices[name]))
      return [{ kind: 'project', choices: Object.fromEntries(chosen) }, without(renames, computed)]
    }
    case 'sort': {
      const order = Object.entries(stage.order).map(([name, value]) => [nameIn(renames, name), value] as const)
      return [{ kind: 'sort', order: Object.fromEntries(order) }, renames]
    }
    case 'count':
      return [stage, new Map()]
    case 'limit':
    case 'saved':
    case 'skip':
    case 'unread':
    case 'unwind':
      return [stage, renames]
  }
}

function renameInCondition(condition: Condition, renames: Renames): Condition {
  return condition.map((term): Term => {
    switch (term.kind) {
      case 'and':
      case 'or':
      case 'nor':
        return { ...term, of: term.of.map((each) => renameInCondition(each, renames)) }
      case 'field':
        return { ...term, field: nameIn(renames, term.field) }
      case 'event':
      case 'unread':
      case 'words':
        return term
    }
  })
}

function renameInGroup(group: Group, renames: Renames): [Stage, Renames] {
  const own = new Map<string, string>()
  const taken = new Set([...group.keys, ...group.values].map(({ name }) => foldName(name)))
  const columnFor = (name: string, wanted: string): string => {
    if (name === wanted || (foldName(name) !== foldName(wanted) && taken.has(foldName(wanted)))) return name
    own.set(foldName(name), wanted)
    return wanted
  }
  const keys = group.keys.map((key): Key => {
    if (key.kind === 'computed') return { ...key, expression: renameInExpression(key.expression, renames) }
    const field = nameIn(renames, key.field)
    if (field === key.field) return key
    return {
      ...key,
      field,
      name: group.isNamed ? columnFor(key.name, derivedName(key.name, key.field, field)) : key.name,
    }
  })
  const values = group.values.map((value): Accumulator => {
    const of = renameInExpression(value.of, renames)
    if (typeof value.of !== 'string' || value.of === of) return { ...value, of }
    const [before, after] = [value.of.slice(1), String(of).slice(1)]
    return { ...value, of, name: columnFor(value.name, derivedName(value.name, before, after)) }
  })
  return [{ ...group, keys, values }, own]
}

/** The name of a column that is made of a field's name, with the new one; any other name as it is. */
function derivedName(name: string, before: string, after: string): string {
  const quoted = (text: string): string => (/^\d+$|^\$/.test(text) ? `"${text}"` : text)
  const made = (field: string): string[] => [
    quoted(field),
    ...dateParts.map((part) => quoted(`${field} (${part})`)),
    ...accumulated.flatMap((operator) => [`${operator} of ${field}`, `${operator} of ${field} (value)`]),
  ]
  const at = made(before).findIndex((each) => foldName(each) === foldName(name))
  return made(after)[at] ?? name
}

const accumulated = ['sum', 'avg', 'min', 'max', 'count', 'distinct']

/** Paths to fields are texts after a `$`, wherever they are in an expression, but for a `$literal`. */
function renameInExpression(expression: unknown, renames: Renames): unknown {
  if (typeof expression === 'string') {
    return expression.startsWith('$') ? `$${nameIn(renames, expression.slice(1))}` : expression
  }
  if (Array.isArray(expression)) return expression.map((each) => renameInExpression(each, renames))
  if (!isObject(expression)) return expression
  return mapValues(expression, (value, name) => (name === '$literal' ? value : renameInExpression(value, renames)))
}

const mapValues = (row: Row, change: (value: unknown, name: string) => unknown): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value, name)]))

function without(renames: Renames, names: readonly string[]): Renames {
  const computed = new Set(names.map(foldName))
  return new Map([...renames].filter(([name]) => !computed.has(name)))
}
