import { earthRadiusMiles } from '@portico/contract/filter'
import { findByName } from '@portico/domain/names'
import {
  type Accumulator,
  type Computation,
  isObject,
  type Pipeline,
  type Stage,
  type Term,
  unwindEvents,
} from '@portico/domain/pipeline/pipeline'
import { formatPipeline, isKnownStage } from '@portico/domain/pipeline/pipeline-json'
import { fieldTerm, flatten } from '@portico/domain/pipeline/terms'
import {
  conditionOf,
  eventConditionOf,
  FilterParseError,
  only,
  plainText,
  unexpectedField,
  unknownOperator,
  unreadable,
  unshowable,
} from './condition-of.ts'
import { emptyFilter, type Filter, type FilterField, type Place } from './filter.ts'
import { groupOf } from './group-of.ts'
import { stagesOf } from './stages-of.ts'
import { joined } from './term-of.ts'

/**
 * The rows for the given stages: `stagesOf` returns the same stages for them.
 * @throws {FilterParseError} for stages that rows cannot represent exactly
 */
export function filterOf(pipeline: Pipeline, fields: readonly FilterField[]): Filter {
  const filter: Filter = { ...emptyFilter, standard: [], behavioral: [], columns: [] }
  const normalized = canonical(pipeline, fields)
  const [which, ...grouping] = partsOf(normalized)
  for (const stage of which) readStage(filter, stage, fields)
  const [rows, groups] = grouping
  if (rows.length + groups.length > 0) filter.groupBy = groupOf(rows, groups, fields)
  // Any other difference (order of stages, an equivalent pattern) would be lost on the way back.
  if (formatPipeline(stagesOf(filter)) !== formatPipeline(normalized)) throw unshowable()
  return filter
}

/** The same for any stages: those that rows cannot show are kept, with the reason (`advanced`). */
export function readFilter(stages: Pipeline, fields: readonly FilterField[]): Filter {
  try {
    return filterOf(stages, fields)
  } catch (error) {
    if (!(error instanceof FilterParseError)) throw error
    return { ...emptyFilter, advanced: { stages, problem: error.message } }
  }
}

/**
 * Normalizes stages: terms mean the same in a condition and in its list, fields the same in any letter case, and null the
 * same as no value.
 */
function canonical(pipeline: Pipeline, fields: readonly FilterField[]): Pipeline {
  const [which, rows, groups] = partsOf(pipeline)
  const normalize = (term: Term): Term => canonicalTerm(term, (name) => fieldNamed(name, fields)?.name ?? name)
  return [
    ...inOneList(which, normalize),
    ...(rows.length > 0 ? [unwindEvents, ...inOneList(rows.slice(1), (term) => canonicalTerm(term, same))] : []),
    ...groups.map((stage) =>
      stage.kind === 'group'
        ? { ...stage, values: stage.values.map((value) => canonicalValue(value, normalize)) }
        : stage,
    ),
  ]
}

/** The conditions of a value in one list, as those of a stage. */
function canonicalValue({ ratio, ...value }: Accumulator, normalize: (term: Term) => Term): Accumulator {
  const one = <C extends Computation>(computation: C): C =>
    computation.where ? { ...computation, where: [joined(flatten(computation.where).map(normalize))] } : computation
  return ratio ? { ...value, ratio: [one(ratio[0]), one(ratio[1])] } : one(value)
}

const same = (name: string): string => name

/** The stages that choose contacts, those that make rows of events and choose some, and those that group. */
function partsOf(pipeline: Pipeline): [which: Pipeline, rows: Pipeline, groups: Pipeline] {
  const indexOf = (of: Stage['kind']): number | undefined => {
    const at = pipeline.findIndex(({ kind }) => kind === of)
    return at === -1 ? undefined : at
  }
  const group = indexOf('group') ?? pipeline.length
  const unwind = Math.min(indexOf('unwind') ?? group, group)
  return [pipeline.slice(0, unwind), pipeline.slice(unwind, group), pipeline.slice(group)]
}

/** The terms of all conditions in one list, before the other stages. */
function inOneList(pipeline: Pipeline, normalize: (term: Term) => Term): Pipeline {
  const terms = pipeline.flatMap((stage) => (stage.kind === 'match' ? flatten(stage.condition) : []))
  const others = pipeline.filter(({ kind }) => kind !== 'match')
  return terms.length === 0 ? others : [{ kind: 'match', condition: [joined(terms.map(normalize))] }, ...others]
}

function canonicalTerm(term: Term, nameOf: (name: string) => string): Term {
  if (term.kind === 'field') return fieldTerm(nameOf(term.field), canonicalTest(term.test))
  if (term.kind !== 'event') return term
  return { kind: 'event', condition: [joined(flatten(term.condition).map((one) => canonicalTerm(one, same)))] }
}

function canonicalTest(test: unknown): unknown {
  if (test === null) return { $exists: false }
  const [entry, ...more] = isObject(test) ? Object.entries(test) : []
  return entry?.[0] === '$ne' && entry[1] === null && more.length === 0 ? { $exists: true } : test
}

const fieldNamed = (name: string, fields: readonly FilterField[]): FilterField | undefined =>
  findByName(fields, (field) => field.name)(name)

function readStage(filter: Filter, stage: Stage, fields: readonly FilterField[]): void {
  switch (stage.kind) {
    case 'saved':
      filter.predefined = stage.id
      return
    case 'match':
      for (const term of flatten(stage.condition)) readTerm(filter, term, fields)
      return
    case 'sort': {
      const [field, order] = only(stage.order)
      if (order !== 1 && order !== -1) throw unshowable()
      filter.sort = { field, order }
      return
    }
    case 'project':
      filter.columns = Object.keys(stage.choices)
      return
    case 'unread': {
      const [name] = only(stage.json)
      throw isKnownStage(stage.json) ? unshowable() : unknownOperator(name)
    }
    case 'unwind':
    case 'group':
    case 'limit':
    case 'skip':
    case 'addFields':
    case 'count':
      throw unshowable()
  }
}

function readTerm(filter: Filter, term: Term, fields: readonly FilterField[]): void {
  switch (term.kind) {
    case 'event':
      filter.behavioral.push({ conditions: flatten(term.condition).map(eventConditionOf) })
      return
    case 'words':
      filter.fullText = textOf(term.of)
      return
    case 'field':
      readField(filter, term, fields)
      return
    case 'unread':
      // A field whose name begins with a dollar sign looks like an operator.
      if (!fieldNamed(term.name, fields)) throw unreadable(term)
      readField(filter, { kind: 'field', field: term.name, test: term.of }, fields)
      return
    case 'and':
    case 'or':
    case 'nor':
      throw unreadable(term)
  }
}

function readField(
  filter: Filter,
  { field: name, test }: Term & { kind: 'field' },
  fields: readonly FilterField[],
): void {
  if (name === 'events') throw unknownOperator(only(test)[0])
  if (name === 'location') {
    filter.location = placeOf(test)
    return
  }
  const field = fieldNamed(name, fields)
  if (!field) throw unexpectedField(name)
  filter.standard.push(conditionOf(field.name, field.type, test))
}

function textOf(value: unknown): string {
  const [name, words] = only(value)
  if (name !== '$search') throw unknownOperator(name)
  return plainText(words)
}

function placeOf(value: unknown): Place {
  const [name, shape] = only(value)
  if (name !== '$geoWithin') throw unknownOperator(name)
  const [kind, circle] = only(shape)
  if (kind !== '$centerSphere') throw unknownOperator(kind)
  const [centre, radius] = Array.isArray(circle) ? (circle as unknown[]) : []
  const [longitude, latitude] = Array.isArray(centre) ? (centre as unknown[]) : []
  if (typeof longitude !== 'number' || typeof latitude !== 'number' || typeof radius !== 'number') throw unshowable()
  return { distance: milesOf(radius), latitude, longitude }
}

/** Reverses the division of `stagesOf`: the shortest number of miles that gives the radius. */
function milesOf(radius: number): number {
  const about = radius * earthRadiusMiles
  const digits = [12, 13, 14, 15, 16, 17].map((precision) => Number(about.toPrecision(precision)))
  return digits.find((miles) => miles / earthRadiusMiles === radius) ?? about
}
