/** Limits on the size of a filter. */
export const filterLimits = {
  /** Characters of a stored filter: enough for the longest list of long addresses. */
  storedLength: 750_000,
  stages: 20,
  /** Nesting of `$and`, `$or`, `$nor` and `$not`, and of expressions. */
  depth: 20,
  conditions: 1000,
  /** Values of one `$in` or `$nin`. */
  listValues: 10_000,
  patternLength: 1000,
  sortFields: 4,
  groupKeys: 2,
  /** Characters in the name of a computed field: enough for the name of another field and some words. */
  nameLength: 300,
  /** Fields that one `$group`, `$addFields` or `$project` creates. */
  fields: 1000,
  /** Greatest and least texts (`$max`, `$min`) of all groups of a filter: the database holds each of them for a group. */
  extremeTexts: 100,
  /** Numbers of distinct values of all groups of a filter: the database sorts for each of them. */
  distinctValues: 20,
  /** Operations of one computed field, including those of the computed fields it uses. */
  operations: 1000,
  /** Operations of all computed fields of a filter, and of the conditions and orders that use them. */
  operationsInAll: 10_000,
  /** Characters of a text that `$concat` creates. */
  textLength: 32_768,
  searchLength: 1000,
  searchWords: 20,
}
