import { z } from 'zod'

/**
 * Stages of the filter language, a MongoDB-style pipeline, before the server has looked inside. What it knows so far:
 *
 * - `{$match: {field: value, field: {operator: value}, $and: […], $or: […], $nor: […]}}`, any number of them, with
 *   `$eq $ne $gt $gte $lt $lte $in $nin $exists $regex` (and `$options: 'i'`) and `$not`.
 * - Exports take `$sort`, `$skip`, `$limit` and `$project` (what to give) besides, in this order.
 *
 * Fields are named as their owner named them, whatever the letter case; contacts also have `_id`, `purl`, `basePurl`,
 * `purlNumber` and `Import`. A value has to be of the field's type: text, a number, true or false, a date as
 * `2026-01-31` (the whole day, in UTC) or `2026-01-31T09:30:00Z` (the moment).
 *
 * Rows without a value are found by `$ne`, `$nin`, `$not`, `$nor`, `$exists: false`, `null` and the empty text, never by
 * a comparison or `$regex`; sorted, they come last either way. Text is compared letter by letter, and sorted as people
 * expect (letter case and accents count last).
 */
export const Stages = z.array(z.record(z.string(), z.unknown()))
export type Stages = z.output<typeof Stages>

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
