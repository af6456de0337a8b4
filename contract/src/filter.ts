import { z } from 'zod'

/** Stages of the filter language (a MongoDB-style pipeline), before the server has looked inside. */
export const Stages = z.array(z.record(z.string(), z.unknown()))
export type Stages = z.output<typeof Stages>

/** What a `$match` may ask of one field: `{field: {operator: value}}`; `{field: value}` is short for `$eq`. */
export const fieldOperators = [
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$regex',
  '$options',
  '$exists',
  '$not',
] as const

/** What joins conditions. */
export const logicalOperators = ['$and', '$or', '$nor'] as const

/** How large a filter may get. */
export const filterLimits = {
  stages: 20,
  /** Nesting of `$and`, `$or`, `$nor` and `$not`. */
  depth: 20,
  conditions: 1000,
  /** Values of one `$in` or `$nin`. */
  listValues: 10_000,
  patternLength: 1000,
  sortFields: 4,
}
