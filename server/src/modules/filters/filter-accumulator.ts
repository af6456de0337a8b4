import { filterLimits } from '@portico/contract/filter'
import { accumulatorNames } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import { compileExpression, requireFieldPath } from './filter-expression.ts'
import {
  type FilterField,
  invalidFilter,
  isObject,
  resolverOf,
  type Sql,
  spendOperations,
  type Tally,
  unknownOperator,
} from './filter-field.ts'
import type { Level } from './filter-level.ts'
import { compileFieldConditions } from './filter-match.ts'

type Column = Pick<FilterField, 'name' | 'type' | 'sql' | 'variants' | 'weight'>

/**
 * Compiles a value of a group to a column called `name`: `{"$sum": "$Age"}`, the same of rows that meet a condition
 * (`{"$sum": {"$cond": {"if": {"City": "Oslo"}, "then": "$Age"}}}`), or the ratio of two such values
 * (`{"$divide": [{"$sum": "$Age"}, {"$sum": 1}]}`), which has no value after a division by zero.
 * @throws invalid_filter
 */
export function compileAccumulator(name: string, accumulator: unknown, level: Level): Column {
  const [entry] = isObject(accumulator) ? Object.entries(accumulator) : []
  if (entry?.[0] !== '$divide') return compileComputation(name, accumulator, level)
  const parts = Array.isArray(entry[1]) ? (entry[1] as unknown[]) : []
  if (parts.length !== 2 || Object.keys(accumulator as object).length > 1) {
    throw invalidFilter('"$divide" in a "$group" takes two values, such as [{"$sum": "$Age"}, {"$sum": 1}].')
  }
  const [dividend, divisor] = parts.map((part) => {
    const { type, sql: value, variants } = compileComputation(name, part, level)
    if (type !== 'number' || variants) throw invalidFilter(`"$divide" in a "$group" takes numbers only.`)
    return sql`(${value})::float8`
  })
  return { name, type: 'number', sql: sql`${dividend} / NULLIF(${divisor}, 0)` }
}

/** The value that an accumulator computes, and (`filter`) of which rows, as a clause after each aggregate. */
type Operand = { of: unknown; filter: Sql }

/** Takes `{"$cond": {"if": …, "then": …}}` apart. */
function readOperand(argument: unknown, level: Level): Operand {
  if (!isObject(argument) || !Object.hasOwn(argument, '$cond')) return { of: argument, filter: sql`` }
  const { $cond: cond, ...more } = argument
  const { if: test, then: of, ...others } = isObject(cond) ? cond : {}
  const isComplete = isObject(test) && Object.keys(test).length > 0 && of !== undefined
  if (!isComplete || Object.keys(others).length > 0 || Object.keys(more).length > 0) {
    throw invalidFilter('"$cond" takes {"if": {"City": "Oslo"}, "then": "$Age"}: a condition, and a value.')
  }
  // Without the special fields: their subqueries would run for each row.
  const condition = compileFieldConditions(
    test,
    resolverOf((name) => level.resolve(name)),
    level.tally,
  )
  return { of, filter: sql` FILTER (WHERE ${condition})` }
}

function compileComputation(name: string, accumulator: unknown, level: Level): Column {
  const [entry, ...more] = isObject(accumulator) ? Object.entries(accumulator) : []
  if (!entry || more.length > 0) throw invalidFilter(`"${name}" needs one operator, such as {"$sum": 1}.`)
  const [asWritten, argument] = entry
  const operator = accumulatorNames.find((known) => known === asWritten)
  if (!operator) throw unknownOperator(asWritten)
  const number = (value: Sql): Column => ({ name, type: 'number', sql: sql`(${value})::float8` })
  switch (operator) {
    case '$count':
      if (!isObject(argument) || Object.keys(argument).length > 0)
        throw invalidFilter('"$count" in a "$group" takes {}.')
      return number(sql`count(*)`)
    case '$sum': {
      const { of, filter } = readOperand(argument, level)
      if (of === 1) return number(sql`count(*)${filter}`)
      return number(exactSum(addend(operator, of, level), filter))
    }
    case '$avg': {
      const { of, filter } = readOperand(argument, level)
      return number(exactAverage(addend(operator, of, level), filter))
    }
    case '$max':
    case '$min': {
      const { of, filter } = readOperand(argument, level)
      const value = extreme(operator, compileExpression(name, of, level), filter)
      if (value.type === 'string') spendExtremeText(level.tally)
      return { name, ...value }
    }
    case '$size': {
      const { of, filter } = readDistinct(argument, level)
      spendDistinct(level.tally)
      return number(sql`count(DISTINCT ${of})${filter}`)
    }
  }
}

/**
 * A number to add up. `from`: a column is cheap to read several times; a computed value has rounding noise of its own.
 */
type Addend = { value: Sql; from: 'column' | 'event' | 'computed' }

/**
 * A decimal sum without binary rounding, which makes 121.19999999999999 of three times 40.4. Numbers of a column with
 * at most six decimals, which nearly all are, are added up as whole millionths: as fast as binary numbers. Adding all
 * of them as decimals would take four times as long.
 */
function exactSum({ value, from }: Addend, filter: Sql): Sql {
  // The cast of a binary number keeps 15 digits.
  if (from === 'computed') return sql`coalesce(sum(${value}::numeric)${filter}, 0)`
  if (from === 'event') return sql`coalesce(sum(${value}::text::numeric)${filter}, 0)`
  const millionths = sql`round(${value} * 1e6)`
  const isShort = sql`${value} BETWEEN -4e9 AND 4e9 AND ${value} = ${millionths} / 1e6`
  return sql`
    coalesce(sum(CASE WHEN ${isShort} THEN ${millionths}::bigint END)${filter}, 0) / 1000000::numeric
    + coalesce(sum(CASE WHEN ${isShort} THEN NULL ELSE ${value}::text::numeric END)${filter}, 0)`
}

const exactAverage = (number: Addend, filter: Sql): Sql =>
  sql`(${exactSum(number, filter)}) / nullif(count(${number.value})${filter}, 0)`

function addend(operator: string, argument: unknown, level: Level): Addend {
  level.tally.sums++
  const field = compileExpression(operator, argument, level)
  const number = field.type === 'number' ? field : field.variants?.number
  if (!number) throw invalidFilter(`"${operator}" takes numbers only.`)
  const from = (field.weight ?? 1) > 1 ? 'computed' : field.variants ? 'event' : 'column'
  return { value: sql`(${number.sql})::float8`, from }
}

function extreme(
  operator: '$max' | '$min',
  field: FilterField,
  filter: Sql,
): Pick<FilterField, 'type' | 'sql' | 'weight'> {
  const { type, sql: value, ordered } = field.variants?.number ?? field
  const { weight = 1 } = field
  // True is greater than false.
  if (type === 'boolean') {
    return {
      type,
      weight,
      sql: operator === '$max' ? sql`bool_or(${value})${filter}` : sql`bool_and(${value})${filter}`,
    }
  }
  return { type, weight, sql: operator === '$max' ? sql`max(${ordered})${filter}` : sql`min(${ordered})${filter}` }
}

function spendExtremeText(tally: Tally): void {
  if (++tally.extremeTexts <= filterLimits.extremeTexts) return
  throw invalidFilter(`A filter takes "$max" and "$min" of at most ${filterLimits.extremeTexts} texts.`)
}

function spendDistinct(tally: Tally): void {
  tally.areas++
  if (++tally.distinctValues <= filterLimits.distinctValues) return
  throw invalidFilter(`A filter takes at most ${filterLimits.distinctValues} numbers of distinct values.`)
}

/** `{$size: {$addToSet: "$field"}}`: the number of distinct values. */
function readDistinct(argument: unknown, level: Level): { of: Sql; filter: Sql } {
  const [entry, ...more] = isObject(argument) ? Object.entries(argument) : []
  if (!entry || more.length > 0) throw invalidFilter('"$size" in a "$group" takes {"$addToSet": "$City"}.')
  if (entry[0] !== '$addToSet') throw unknownOperator(entry[0])
  const { of, filter } = readOperand(entry[1], level)
  const { type, variants, sql: value, weight } = requireFieldPath('$addToSet', of, level.resolve)
  spendOperations(level.tally, weight)
  if (!variants) return { of: type === 'string' ? digest(value) : value, filter }
  const { json } = variants
  const typed = sql`CASE jsonb_typeof(${json}) WHEN 'string' THEN to_jsonb(encode(${digest(value)}, 'hex')) ELSE ${json} END`
  return { of: typed, filter }
}

/** Stands for a text where texts are compared: sorting long ones takes many times the memory that PostgreSQL counts. */
const digest = (text: Sql): Sql => sql`sha256(convert_to(${text}, 'UTF8'))`
