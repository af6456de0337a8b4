import { filterLimits, type Stages } from '@portico/contract/filter'
import type { PipelineStage } from '@portico/contract/filter-stages'
import {
  type FieldPattern,
  type FieldResolver,
  type FilterField,
  invalidFilter,
  isObject,
  requireField,
  type Sql,
  unknownOperator,
} from './filter-field.ts'
import { type Order, orderTerms } from './filter-level.ts'
import { compileMatches, newTally } from './filter-match.ts'

/** Stages that select, order, limit and project rows of a table, in the order in which a filter may have them. */
export const pageStages = ['$match', '$sort', '$skip', '$limit', '$project'] as const satisfies PipelineStage[]
export type StageName = (typeof pageStages)[number]

/** A compiled filter, as SQL with parameters. */
export type Pipeline = {
  /** The condition; null if everything matches. */
  where: Sql | null
  /** Relevance of a row to a `$text`: the order to use when `orderBy` is null. Null without a `$text`. */
  rank: Order | null
  /** Patterns that texts of its rows match, without those of negated conditions. */
  patterns: FieldPattern[]
  /** Fields to sort by; null without `$sort`. */
  orderBy: Sql | null
  skip: number
  /** Maximum number of rows; null for all. */
  limit: number | null
  /** Fields to return, in the order named; null for all. */
  fields: FilterField[] | null
}

/**
 * Compiles the stages of a filter. Each stage but `$match` may occur once.
 * @throws invalid_filter naming a stage that is not `allowed`, out of order or malformed
 */
export function compilePipeline(
  stages: Stages,
  resolve: FieldResolver,
  allowed: readonly StageName[] = ['$match'],
): Pipeline {
  requireFewStages(stages)
  const found = stages.map((stage) => readStage(stage, allowed))
  requireOrder(found.map(({ name }) => name))
  const matches = found.flatMap(({ name, value }) => (name === '$match' ? [value] : []))
  const one = <T>(wanted: StageName, read: (value: unknown) => T): T | null => {
    const stage = found.find(({ name }) => name === wanted)
    return stage ? read(stage.value) : null
  }
  const tally = newTally()
  const where = compileMatches(matches, resolve, tally)
  return {
    where,
    rank: tally.rank && { sql: tally.rank, isDescending: true },
    patterns: tally.patterns,
    orderBy: one('$sort', (sort) => compileSort(sort, resolve)),
    skip: one('$skip', (value) => readWhole('$skip', value, 0)) ?? 0,
    limit: one('$limit', (value) => readWhole('$limit', value, 1)),
    fields: one('$project', (value) => readProjection(value, resolve)),
  }
}

export function requireFewStages(stages: Stages): void {
  if (stages.length > filterLimits.stages) throw invalidFilter(`A filter takes at most ${filterLimits.stages} stages.`)
}

/**
 * Returns the operator of a stage, which must be its only one.
 * @throws invalid_filter if it is not allowed
 */
export function readStage<Name extends string>(
  stage: Record<string, unknown>,
  allowed: readonly Name[],
): { name: Name; value: unknown } {
  const entries = Object.entries(stage)
  const [entry] = entries
  if (!entry || entries.length > 1) throw invalidFilter('Each stage of a filter has exactly one operator.')
  const [name, value] = entry
  const known = allowed.find((stageName) => stageName === name)
  if (!known) throw unknownOperator(name)
  return { name: known, value }
}

function requireOrder(names: StageName[]): void {
  for (const [at, name] of names.entries()) {
    const before = names[at - 1]
    if (before === undefined) continue
    if (before === name && name !== '$match') throw invalidFilter(`"${name}" can be used only once in a filter.`)
    if (pageStages.indexOf(before) > pageStages.indexOf(name)) {
      throw invalidFilter(`"${name}" must come before "${before}".`)
    }
  }
}

/** SQL for the ORDER BY clause of `{field: 1 | -1}`. Rows without a value come last in either direction. */
export function compileSort(sort: unknown, resolve: FieldResolver): Sql {
  return orderTerms(readSort(sort, resolve))
}

/** The same as a list. */
export function readSort(sort: unknown, resolve: FieldResolver): Order[] {
  if (!isObject(sort)) throw invalidFilter('"$sort" needs an object.')
  const entries = Object.entries(sort)
  if (entries.length === 0 || entries.length > filterLimits.sortFields) {
    throw invalidFilter(`"$sort" takes one to ${filterLimits.sortFields} fields.`)
  }
  return entries.flatMap(([name, direction]) => {
    const field = requireField(resolve, name)
    if (direction !== 1 && direction !== -1) throw invalidFilter(`"$sort" of "${name}" is 1 or -1.`)
    return (field.orderBy ?? [field.ordered]).map((term) => ({ sql: term, isDescending: direction === -1 }))
  })
}

/** Reads an integer that is at least `min`. */
export function readWhole(name: string, value: unknown, min: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value
  throw invalidFilter(`"${name}" needs a whole number of at least ${min}.`)
}

function readProjection(projection: unknown, resolve: FieldResolver): FilterField[] {
  if (typeof projection !== 'object' || projection === null || Array.isArray(projection)) {
    throw invalidFilter('"$project" needs an object.')
  }
  return Object.entries(projection).map(([name, choice]) => {
    if (choice !== 1 && choice !== true)
      throw invalidFilter(`"$project" of "${name}" must be 1: it lists the fields to include.`)
    return requireField(resolve, name)
  })
}
