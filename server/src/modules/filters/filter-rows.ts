import type { Stages } from '@portico/contract/filter'

import { foldName } from '@portico/domain/names'
import type { AppError } from '#platform/app-error.ts'
import type { ContactSource } from './contact-source.ts'
import { compileAggregate } from './filter-aggregate.ts'
import { type FieldResolver, invalidFilter, isObject, requireField, unknownOperator } from './filter-field.ts'
import type { Level } from './filter-level.ts'

/**
 * A pipeline without those `$project` stages that only exclude fields, for callers that name the fields they need.
 * @throws invalid_filter if such a stage excludes one of `names`
 */
export function dropExclusions(stages: Stages, names: readonly string[]): Stages {
  const wanted = new Set(names.map(foldName))
  return stages.filter((stage) => {
    const projection = stage['$project']
    if (!isObject(projection)) return true
    const entries = Object.entries(projection)
    if (entries.length === 0 || !entries.every(([, choice]) => choice === 0 || choice === false)) return true
    const excluded = entries.find(([name]) => wanted.has(foldName(name)))
    if (excluded) throw leftOut(excluded[0])
    return false
  })
}

/** The error for a required field that `$project` excludes. */
export function leftOut(name: string): AppError {
  return invalidFilter(`"$project" leaves out "${name}", which the export needs.`)
}

/** A pipeline that returns a row for each event of the matching contacts. */
export type EventRows = {
  level: Level
  /** Throws invalid_filter if a `$project` of the pipeline omits one of these fields. */
  requireGiven: (names: readonly string[]) => void
}

const unwind = { $unwind: '$events' }

/**
 * Compiles stages on contacts, `$unwind` and stages on their events. Without `$unwind`, all stages are on contacts. A
 * `$project` must come last.
 * @throws invalid_filter
 */
export function compileEventRows(stages: Stages, source: ContactSource): EventRows {
  const projection = stages.find((stage) => '$project' in stage)
  const filter = stages.filter((stage) => stage !== projection)
  if (projection && stages.at(-1) !== projection) throw invalidFilter('"$project" must come last.')
  const at = filter.findIndex((stage) => '$unwind' in stage)
  const parts = at < 0 ? [filter] : [filter.slice(0, at), filter.slice(at + 1)]
  for (const part of parts) requireEventStages(part)
  const level = compileAggregate(at < 0 ? [...filter, unwind] : filter, source)
  return {
    level,
    requireGiven: (names) => {
      if (projection) requireProjected(projection['$project'], names, level.resolve)
    },
  }
}

const eventStages = ['$match', '$sort', '$skip', '$limit']

/** Requires that `$skip` and `$limit` come last, on contacts as on events. */
function requireEventStages(stages: Stages): void {
  // Stages with several operators are rejected when they are compiled.
  const operators = stages.map((stage) => Object.keys(stage)[0] ?? '')
  for (const [at, name] of operators.entries()) {
    if (!eventStages.includes(name)) throw unknownOperator(name)
    const before = operators[at - 1]
    if (before !== undefined && eventStages.indexOf(before) > eventStages.indexOf(name)) {
      throw invalidFilter(`"${name}" must come before "${before}".`)
    }
  }
}

function requireProjected(projection: unknown, names: readonly string[], resolve: FieldResolver): void {
  const entries = typeof projection === 'object' && projection !== null ? Object.entries(projection) : []
  if (entries.length === 0) throw invalidFilter('"$project" needs an object.')
  const given = new Set<string>()
  for (const [name, choice] of entries) {
    if (choice !== 1 && choice !== true)
      throw invalidFilter(`"$project" of "${name}" must be 1: it lists the fields to include.`)
    if (foldName(name) !== 'events') given.add(requireField(resolve, name).name)
    else for (const field of names.filter((one) => /^events\./i.test(one))) given.add(field)
  }
  const missing = names.find((name) => !given.has(name))
  if (missing !== undefined) throw leftOut(missing)
}

/** A pipeline with its rows sorted and reduced to the columns `names`, if there are any. */
export function thenSelect(stages: Stages, sort: Record<string, 1 | -1> | undefined, names: readonly string[]): Stages {
  return [
    ...stages,
    ...(sort ? [{ $sort: sort }] : []),
    ...(names.length > 0 ? [{ $project: Object.fromEntries(names.map((name) => [name, 1])) }] : []),
  ]
}

/** Whether the last stage of a pipeline counts its rows. */
export function endsInCount(stages: Stages): boolean {
  return Object.hasOwn(stages.at(-1) ?? {}, '$count')
}
