import { foldName, isSameName } from '../names.ts'
import {
  type Accumulator,
  type Computation,
  type Condition,
  dateParts,
  periods,
  type Group,
  isObject,
  type Key,
  type Pipeline,
  type Row,
  type Stage,
  type Term,
} from './pipeline.ts'
import { isChoice } from './grouping.ts'
import { fieldsIn, fieldTerm } from './terms.ts'

/**
 * A new name of a field of contacts. `also`: new names of further fields, by their folded names, that are written at the
 * same time.
 */
export type FieldRename = { from: string; to: string; also?: ReadonlyMap<string, string> }

/** Returns the name of a field after the renaming. */
export const nameAfter = ({ from, to, also }: FieldRename, name: string): string =>
  isSameName(name, from) ? to : (also?.get(foldName(name)) ?? name)

/** The stages of a saved filter before the change; null where there is none. */
export type SavedPipelines = (id: string) => Pipeline | null

/** New names of columns that the rows have, by the folded name before. */
type Renames = ReadonlyMap<string, string>

/**
 * A pipeline with a new name of a field, and the new names of the columns of its rows. `isClear`: no two columns of its rows have one
 * name, and the saved filters in it mean there what they mean alone.
 */
type Renamed = { pipeline: Pipeline; columnOf: (name: string) => string; isClear: boolean }

type Walk = { base: Renames; saved: SavedPipelines; within: readonly string[]; blur: () => void }

/**
 * Writes a field's new name wherever a pipeline means the field. A column that `$addFields` computes in its place follows, and so do
 * columns of groups that are named after it: `City`, `City (month)` and `sum of City`, as the filter builder writes them.
 */
export function renameField(
  pipeline: Pipeline,
  { from, to, also }: FieldRename,
  saved: SavedPipelines = () => null,
): Renamed {
  let isClear = true
  const base = new Map([...(also ?? []), [foldName(from), to]])
  const blur = (): void => {
    isClear = false
  }
  const [stages, renames] = renameInStages(pipeline, base, { base, saved, within: [], blur })
  return { pipeline: stages, columnOf: (name) => nameIn(renames, name), isClear }
}

/**
 * Returns the pipeline without the values of its conditions, which may be long lists. Its rows have the same columns, and
 * a new name of a field changes both alike.
 */
export const withoutValues = (pipeline: Pipeline): Pipeline =>
  pipeline.map((stage) =>
    stage.kind === 'match'
      ? { kind: 'match', condition: fieldsIn(stage.condition).map((field) => fieldTerm(field, null)) }
      : stage,
  )

/** Whether a renaming has changed a pipeline. Values of conditions, which it leaves as they are, are not compared. */
export const hasOtherNames = (before: Pipeline, after: Pipeline): boolean =>
  JSON.stringify(withoutValues(before)) !== JSON.stringify(withoutValues(after))

/** The ids of the saved filters that a pipeline uses. */
export const savedIn = (pipeline: Pipeline): string[] =>
  pipeline.flatMap((stage) => (stage.kind === 'saved' ? [stage.id] : []))

/** A new name with the stages of saved filters, which say what the columns of a pipeline mean. */
export type Renaming = FieldRename & { saved: SavedPipelines }

/**
 * Whether a definition means the same with a new name of a field, and is the same again once the field has its old one.
 * @param write a definition with the new name, and whether it is clear there
 */
export function keepsMeaning<Definition>(
  write: (definition: Definition, rename: Renaming) => { renamed: Definition; isClear: boolean },
  definition: Definition,
  { from, to, saved }: Renaming,
): boolean {
  const there = write(definition, { from, to, saved })
  if (!there.isClear) return false
  const followed: SavedPipelines = (id) => {
    const pipeline = saved(id)
    return pipeline && renameField(pipeline, { from, to }, saved).pipeline
  }
  const back = write(there.renamed, { from: to, to: from, saved: followed })
  // With the letter case of the field.
  const same = write(definition, { from, to: from, saved })
  return back.isClear && JSON.stringify(back.renamed) === JSON.stringify(same.renamed)
}

function renameInStages(pipeline: Pipeline, before: Renames, walk: Walk): [Pipeline, Renames] {
  let renames = before
  const stages = pipeline.map((stage) => {
    const [renamed, after] = renameInStage(stage, renames, walk)
    renames = after
    return renamed
  })
  return [stages, renames]
}

/** A text of the columns that a pipeline names, with each name as it is afterwards. */
const nameIn = (renames: Renames, name: string): string => renames.get(foldName(name)) ?? name

function renameInStage(stage: Stage, renames: Renames, walk: Walk): [Stage, Renames] {
  switch (stage.kind) {
    case 'match':
      return [{ kind: 'match', condition: renameInCondition(stage.condition, renames) }, renames]
    case 'group':
      return renameInGroup(stage, renames)
    case 'addFields':
      return renameInAdded(stage.fields, renames, walk)
    case 'project':
      return renameInProjection(stage.choices, renames, walk)
    case 'sort': {
      const order = Object.entries(stage.order).map(([name, value]) => [nameIn(renames, name), value] as const)
      return [{ kind: 'sort', order: Object.fromEntries(order) }, renames]
    }
    case 'count':
      return [stage, new Map()]
    case 'saved':
      return [stage, afterSaved(stage.id, renames, walk)]
    case 'limit':
    case 'skip':
    case 'unread':
    case 'unwind':
      return [stage, renames]
  }
}

/** A column computed in place of another one follows its name, since it hides that one. */
function renameInAdded(fields: Row, renames: Renames, { blur }: Walk): [Stage, Renames] {
  const taken = new Set(
    [...renames].flatMap(([before, after]) => (before === foldName(after) ? [] : [foldName(after)])),
  )
  if (Object.keys(fields).some((name) => taken.has(foldName(name)))) blur()
  const named = Object.entries(fields).map(
    ([name, value]) => [nameIn(renames, name), renameInExpression(value, renames)] as const,
  )
  return [{ kind: 'addFields', fields: Object.fromEntries(named) }, renames]
}

/** Columns that are computed keep their names. Rows have the columns that are chosen, or all but those that are left out. */
function renameInProjection(choices: Row, renames: Renames, { blur }: Walk): [Stage, Renames] {
  const named = Object.entries(choices).map(([name, value]): [string, unknown] =>
    isChoice(value) ? [nameIn(renames, name), value] : [name, renameInExpression(value, renames)],
  )
  const namesOf = (isMeant: (value: unknown) => boolean): Set<string> =>
    new Set(Object.keys(choices).flatMap((name) => (isMeant(choices[name]) ? [foldName(name)] : [])))
  const [computed, left] = [namesOf((value) => !isChoice(value)), namesOf(isLeftOut)]
  const chosen = namesOf((value) => isChoice(value) && !isLeftOut(value))
  const leavesOut = computed.size === 0 && chosen.size === 0
  const after = new Map([...renames].filter(([name]) => (leavesOut ? !left.has(name) : chosen.has(name))))
  if ([...after.values()].some((name) => computed.has(foldName(name)))) blur()
  return [{ kind: 'project', choices: Object.fromEntries(named) }, after]
}

const isLeftOut = (value: unknown): boolean => value === 0 || value === false

/** The names after a saved filter, which is written once, whatever comes before it. */
function afterSaved(id: string, renames: Renames, walk: Walk): Renames {
  const pipeline = walk.within.includes(id) ? null : walk.saved(id)
  if (!pipeline) return renames
  const inner = { ...walk, within: [...walk.within, id] }
  const [alone] = renameInStages(pipeline, walk.base, { ...inner, blur: () => {} })
  const [here, after] = renameInStages(pipeline, renames, inner)
  if (JSON.stringify(alone) !== JSON.stringify(here)) walk.blur()
  return after
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
    const { ratio } = value
    if (ratio) {
      return { ...value, ratio: [renameInComputation(ratio[0], renames), renameInComputation(ratio[1], renames)] }
    }
    const renamed = renameInComputation(value, renames)
    if (typeof value.of !== 'string' || value.of === renamed.of) return { ...value, ...renamed }
    const [before, after] = [value.of.slice(1), String(renamed.of).slice(1)]
    return { ...value, ...renamed, name: columnFor(value.name, derivedName(value.name, before, after)) }
  })
  return [{ ...group, keys, values }, own]
}

const renameInComputation = ({ operator, of, where }: Computation, renames: Renames): Computation => ({
  operator,
  of: renameInExpression(of, renames),
  ...(where && { where: renameInCondition(where, renames) }),
})

/** The name of a column that is made of a field's name, with the new one; any other name as it is. */
function derivedName(name: string, before: string, after: string): string {
  const quoted = (text: string): string => (/^\d+$|^\$/.test(text) ? `"${text}"` : text)
  const made = (field: string): string[] => [
    quoted(field),
    ...dateParts.map((part) => quoted(`${field} (${part})`)),
    ...periods.map((period) => quoted(`${field} ${period}`)),
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
