import { filterLimits } from '@portico/contract/filter'
import { type DatePartOperator, type FieldOperator, fieldOperators } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import { datePart } from './date-part.ts'
import {
  asComparedWith,
  type Comparison,
  comparisons,
  type Compilation,
  type FieldResolver,
  type FilterField,
  invalidFilter,
  isDated,
  isObject,
  type SpecialField,
  spendOperations,
  type Sql,
  type Tally,
  unexpectedField,
  unknownOperator,
} from './filter-field.ts'
import { compilePattern } from './filter-pattern.ts'
import { takeTuples } from './filter-tuples.ts'
import { dayBound, type FilterValue, listParameter, parameter, readValue, requireList } from './filter-values.ts'

/**
 * The condition of `$match` stages as SQL: true for rows that match, false or NULL for others. As in MongoDB, a row
 * without a value is found by `$ne`, `$nin`, `$not`, `$nor`, null and the empty text, and not by comparisons. Null if
 * there are no conditions.
 */
export function compileMatches(matches: unknown[], resolve: FieldResolver, tally = newTally()): Sql | null {
  const compilation = { resolve, tally }
  const parts = matches.flatMap((match) => compileObject(match, compilation, 0) ?? [])
  return join(parts, sql` AND `)
}

/** The same for a condition that chooses no rows, so that its patterns ask for no index. True without conditions. */
export function compileFieldConditions(match: unknown, resolve: FieldResolver, tally: Tally): Sql {
  return withoutPatterns(tally, () => compileMatches([match], resolve, tally)) ?? sql`TRUE`
}

export function newTally(): Tally {
  // The rows of the whole are sorted.
  const areas = 1
  return { conditions: 0, operations: 0, rank: null, patterns: [], extremeTexts: 0, distinctValues: 0, sums: 0, areas }
}

function join(parts: Sql[], by: Sql): Sql | null {
  const [only] = parts
  if (!only) return null
  return parts.length === 1 ? only : sql`(${sql.join(parts, by)})`
}

/** The conditions of an `$elemMatch`, on one event of a contact. */
export function compileInner(match: unknown, resolve: FieldResolver, { tally }: Compilation): Sql {
  return compileObject(match, { resolve, tally }, 1) ?? sql`TRUE`
}

function compileObject(match: unknown, compilation: Compilation, depth: number): Sql | null {
  if (!isObject(match)) throw invalidFilter('"$match" needs an object of conditions.')
  if (depth > filterLimits.depth) throw invalidFilter(`The filter is nested more than ${filterLimits.depth} deep.`)
  const parts = Object.entries(match).map(([name, value]) => {
    switch (name) {
      case '$and':
        return join(compileBranches(requireBranches(name, value), compilation, depth), sql` AND `)
      case '$or':
        return compileAlternatives(name, value, compilation, depth)
      case '$nor':
        return negated(compilation, () => compileAlternatives(name, value, compilation, depth))
      default:
        return compileField(name, value, compilation, depth)
    }
  })
  return join(
    parts.filter((part) => part !== null),
    sql` AND `,
  )
}

function requireBranches(operator: string, branches: unknown): unknown[] {
  if (Array.isArray(branches) && branches.length > 0) return branches
  throw invalidFilter(`"${operator}" needs a list with at least one condition.`)
}

function compileBranches(branches: readonly unknown[], compilation: Compilation, depth: number): Sql[] {
  return branches.map((branch) => compileObject(branch, compilation, depth + 1) ?? sql`TRUE`)
}

function compileAlternatives(operator: string, value: unknown, compilation: Compilation, depth: number): Sql {
  const { tuples, others } = takeTuples(
    requireBranches(operator, value),
    compilation.resolve,
    (condition, resolve) => compileObject(condition, { ...compilation, resolve }, depth + 2) ?? sql`TRUE`,
  )
  const parts = tuples.map((tuple) => count(compilation, tuple))
  return join([...parts, ...compileBranches(others, compilation, depth)], sql` OR `) ?? sql`FALSE`
}

function compileField(name: string, value: unknown, compilation: Compilation, depth: number): Sql | null {
  const field = compilation.resolve(name)
  const special = field ? undefined : compilation.resolve.special?.(name)
  if (special) return compileSpecial(special, value, compilation, depth)
  if (!field) throw name.startsWith('$') ? unknownOperator(name) : unexpectedField(name)
  return isObject(value)
    ? compileOperators(field, value, compilation, depth)
    : compileOperator(field, '$eq', value, compilation, depth)
}

function compileSpecial(field: SpecialField, value: unknown, compilation: Compilation, depth: number): Sql {
  if (!isObject(value)) throw invalidFilter(`"${field.name}" can only be matched by its own operators.`)
  if (depth > filterLimits.depth) throw invalidFilter(`The filter is nested more than ${filterLimits.depth} deep.`)
  const parts = Object.entries(value).map(([operator, argument]) =>
    operator === '$not'
      ? not(compileSpecial(field, argument, compilation, depth + 1))
      : count(compilation, field.compile(operator, argument, compilation, field.of ?? [])),
  )
  const all = join(parts, sql` AND `)
  if (!all) throw invalidFilter(`The condition of "${field.name}" is empty.`)
  return all
}

function compileOperators(
  field: FilterField,
  operators: Record<string, unknown>,
  compilation: Compilation,
  depth: number,
): Sql {
  const { $regex: pattern, $options: options, ...others } = operators
  const parts: Sql[] = []
  if (pattern !== undefined) {
    parts.push(count(compilation, compilePattern(field, pattern, options), field))
    if (typeof pattern === 'string') compilation.tally.patterns.push({ field, pattern })
  } else if (options !== undefined) throw invalidFilter('"$options" belongs to a "$regex".')
  for (const [name, value] of Object.entries(others)) {
    const operator = comparingOperators.find((known) => known === name)
    if (!operator) throw unknownOperator(name)
    parts.push(compileOperator(field, operator, value, compilation, depth))
  }
  const all = join(parts, sql` AND `)
  if (!all) throw invalidFilter(`The condition of "${field.name}" is empty.`)
  return all
}

type ComparingOperator = Exclude<FieldOperator, '$regex' | '$options'>

const comparingOperators = fieldOperators.filter(
  (operator): operator is ComparingOperator => operator !== '$regex' && operator !== '$options',
)

/** Whether a field has one of the values of a list, each compared by its own type. */
function isInList(field: FilterField, operator: string, values: unknown, compilation: Compilation): Sql {
  requireList(field, operator, values)
  const byType = Map.groupBy(values, (value) => asComparedWith(field, value))
  const parts = [...byType].map(([typed, some]) =>
    isIn(
      typed,
      some.map((value) => readValue(typed, value)),
      compilation,
    ),
  )
  return join(parts, sql` OR `) ?? sql`FALSE`
}

function compileOperator(
  declared: FilterField,
  operator: ComparingOperator,
  value: unknown,
  compilation: Compilation,
  depth: number,
): Sql {
  const field = operator === '$exists' ? declared : asComparedWith(declared, value)
  switch (operator) {
    case '$eq':
      return count(compilation, equals(field, readValue(field, value)), field)
    case '$ne':
      return count(compilation, not(equals(field, readValue(field, value))), field)
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return count(compilation, compare(field, operator, readValue(field, value)), field)
    case '$in':
      return isInList(declared, operator, value, compilation)
    case '$nin':
      return not(isInList(declared, operator, value, compilation))
    case '$year':
    case '$month':
    case '$dayOfMonth':
    case '$hour':
    case '$dayOfWeek':
      return count(compilation, isInPart(field, operator, value), field)
    case '$exists':
      if (typeof value !== 'boolean') throw invalidFilter(`"$exists" of "${field.name}" needs true or false.`)
      return count(compilation, value ? sql`${field.sql} IS NOT NULL` : sql`${field.sql} IS NULL`, field)
    case '$not':
      if (!isObject(value)) throw invalidFilter(`"$not" of "${field.name}" needs an object of operators.`)
      if (depth >= filterLimits.depth) throw invalidFilter(`The filter is nested more than ${filterLimits.depth} deep.`)
      return negated(compilation, () => compileOperators(declared, value, compilation, depth + 1))
  }
}

/** Negates a condition; NULL, the result for a missing value, becomes true. */
function not(condition: Sql): Sql {
  return sql`(${condition}) IS NOT TRUE`
}

/** Negates what `compile` makes. No index finds what a pattern leaves out, so its patterns are not counted. */
const negated = ({ tally }: Compilation, compile: () => Sql): Sql => not(withoutPatterns(tally, compile))

function withoutPatterns<T>(tally: Tally, compile: () => T): T {
  const before = tally.patterns.length
  const condition = compile()
  tally.patterns.length = before
  return condition
}

function equals(field: FilterField, value: FilterValue): Sql {
  if (value.kind === 'none') return sql`${field.sql} IS NULL`
  if (value.kind === 'day') return sql`(${compare(field, '$gte', value)} AND ${compare(field, '$lte', value)})`
  if (field.equals && value.kind === 'one' && typeof value.value === 'string') return field.equals(value.value)
  return sql`${field.ordered} = ${parameter(field, value)}`
}

/** One part of a date, compared with a whole number. */
function isInPart(field: FilterField, operator: DatePartOperator, value: unknown): Sql {
  if (!isDated(field)) throw invalidFilter(`"${operator}" needs a date; "${field.name}" is not.`)
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > maxPart) {
    throw invalidFilter(`"${operator}" of "${field.name}" needs a whole number.`)
  }
  return sql`${datePart(operator, field, field.timeZone ?? 'UTC')} = ${value}::int`
}

/** Greater than any part of a date, and far beyond the last year of PostgreSQL. */
const maxPart = 1_000_000

function compare(field: FilterField, operator: Comparison, value: FilterValue): Sql {
  if (field.type === 'boolean')
    throw invalidFilter(`"${operator}" cannot compare "${field.name}", which is true or false.`)
  if (value.kind === 'none') throw invalidFilter(`"${operator}" of "${field.name}" needs a value.`)
  if (value.kind === 'one' && field.compare && typeof value.value === 'string') {
    return field.compare(operator, value.value)
  }
  if (value.kind !== 'day') return sql`${field.ordered} ${comparisons[operator]} ${parameter(field, value)}`
  // "After a day" starts at its end; "until a day" ends before its end.
  const bound = dayBound(field, value.day, operator === '$gt' || operator === '$lte' ? 'end' : 'start')
  const comparison = operator === '$gt' || operator === '$gte' ? comparisons.$gte : comparisons.$lt
  return sql`${field.ordered} ${comparison} ${bound}`
}

function isIn(field: FilterField, values: FilterValue[], compilation: Compilation): Sql {
  const plain = values.flatMap((value) => (value.kind === 'one' && !field.equals ? [value.value] : []))
  const others = values.filter((value) => value.kind !== 'one' || field.equals)
  const parts = others.map((value) => count(compilation, equals(field, value), field))
  if (plain.length > 0)
    parts.push(count(compilation, sql`${field.ordered} = ANY(${listParameter(field, plain)})`, field))
  return join(parts, sql` OR `) ?? sql`FALSE`
}

/** Counts a condition, which repeats the operations of a computed field. */
function count(compilation: Compilation, condition: Sql, field?: FilterField): Sql {
  spendOperations(compilation.tally, field?.weight ?? 0)
  if (++compilation.tally.conditions > filterLimits.conditions) {
    throw invalidFilter(`A filter takes at most ${filterLimits.conditions} conditions.`)
  }
  return condition
}
