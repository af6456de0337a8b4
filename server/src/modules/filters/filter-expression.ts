import { filterLimits } from '@portico/contract/filter'
import { datePartOperators, dateUnits, type ExpressionOperator } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import { valueText } from '#contacts'
import { datePart, periodStart } from './date-part.ts'
import {
  spendOperations,
  type FieldResolver,
  type FilterField,
  fieldOf,
  type FilterType,
  invalidFilter,
  isDated,
  isObject,
  requireField,
  type Sql,
  type Tally,
  unknownOperator,
} from './filter-field.ts'
import { joinedText } from './joined-text.ts'

/** The scope that an expression is evaluated in. */
export type ExpressionScope = { resolve: FieldResolver; textOrder: Sql; timeZone: string; tally: Tally }

/** `field`: the name of the computed field. */
type Scope = ExpressionScope & { field: string }

type Computed = { type: FilterType; sql: Sql; weight: number; variants?: FilterField['variants'] }

/**
 * Compiles an expression of `$addFields`, `$project` or a key of `$group` to a field called `name`: `"$field"`, a
 * constant, or an operator over expressions. The result has no value if one of its operands has none, or after a
 * division by zero.
 */
export function compileExpression(name: string, expression: unknown, scope: ExpressionScope): FilterField {
  const { type, sql: value, weight, variants } = compile(expression, { ...scope, field: name }, 0)
  if (weight > filterLimits.operations) {
    throw invalidFilter(`"${name}" needs more than ${filterLimits.operations} operations.`)
  }
  spendOperations(scope.tally, weight)
  return { ...fieldOf(name, type, value, scope.textOrder, scope.timeZone), weight, ...(variants && { variants }) }
}

/** The field that `"$name"` refers to. @throws invalid_filter for anything else */
export function requireFieldPath(operator: string, path: unknown, resolve: FieldResolver): FilterField {
  if (typeof path !== 'string' || !path.startsWith('$')) {
    throw invalidFilter(`"${operator}" needs a field, such as "$City".`)
  }
  return requireField(resolve, path.slice(1))
}

function compile(expression: unknown, scope: Scope, depth: number): Computed {
  if (depth > filterLimits.depth) throw invalidFilter(`The filter is nested more than ${filterLimits.depth} deep.`)
  if (typeof expression === 'string' && expression.startsWith('$')) {
    const field = requireField(scope.resolve, expression.slice(1))
    const { type, sql: value, weight = 1, variants } = field
    return { type, sql: value, weight, ...(variants && { variants }) }
  }
  if (!isObject(expression)) return constant(expression)
  const [entry, ...more] = Object.entries(expression)
  if (!entry || more.length > 0) throw invalidFilter('An expression has exactly one operator.')
  const [operator, argument] = entry
  if (operator === '$literal') return constant(argument)
  if (operator === '$dateTrunc') return compilePeriod(argument, scope, depth)
  if (!isExpressionOperator(operator)) throw unknownOperator(operator)
  const list: unknown[] = Array.isArray(argument) ? (argument as unknown[]) : [argument]
  const operands = list.map((operand) => compile(operand, scope, depth + 1))
  const weight = operands.reduce((sum, operand) => sum + operand.weight, 1)
  return { ...operators[operator](operator, operands, scope), weight }
}

function constant(value: unknown): Computed {
  if (typeof value === 'number' && Number.isFinite(value))
    return { type: 'number', sql: sql`${value}::float8`, weight: 1 }
  if (typeof value === 'string' && !value.includes('\0')) return { type: 'string', sql: sql`${value}::text`, weight: 1 }
  if (typeof value === 'boolean') return { type: 'boolean', sql: sql`${value}::boolean`, weight: 1 }
  throw invalidFilter(`An expression takes numbers, text, true and false, not ${shown(value)}.`)
}

/** `{$dateTrunc: {date: "$Joined", unit: "month"}}`: the first day of the period. */
function compilePeriod(argument: unknown, scope: Scope, depth: number): Computed {
  const { date, unit: asked, ...others } = isObject(argument) ? argument : {}
  const name = typeof date === 'string' ? date.replace(/^\$/, '') : scope.field
  const unit = dateUnits.find((known) => known === asked)
  if (!unit) throw invalidFilter(`"$dateTrunc" of "${name}" needs a unit: day, week, month, quarter or year.`)
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw invalidFilter(
      `"$dateTrunc" of "${name}" takes a date and a unit, not "${other}": weeks begin on Monday, and the time zone is the account’s.`,
    )
  }
  const computed = compile(date, scope, depth + 1)
  if (!isDated(computed)) throw invalidFilter(`"$dateTrunc" needs a date; "${name}" is not.`)
  return { type: 'day', sql: periodStart(unit, computed, scope.timeZone), weight: computed.weight + 1 }
}

type Operator = (name: string, operands: Computed[], scope: Scope) => Omit<Computed, 'weight'>

const arithmetic =
  (sign: Sql, count: 2 | 'any'): Operator =>
  (name, operands) => {
    if (count === 2 ? operands.length !== 2 : operands.length === 0) {
      throw invalidFilter(`"${name}" takes ${count === 2 ? 'two values' : 'at least one value'}.`)
    }
    const numbers = operands.map((operand) => asNumber(name, operand))
    return { type: 'number', sql: sql`(${sql.join(numbers, sql` ${sign} `)})` }
  }

const partOfDate: Operator = (name, operands, { timeZone }) => {
  const [date, ...more] = operands
  const operator = datePartOperators.find((known) => known === name)
  if (!operator || !date || more.length > 0 || !isDated(date)) throw invalidFilter(`"${name}" needs a date.`)
  return { type: 'number', sql: datePart(operator, date, timeZone) }
}

const operators: Record<Exclude<ExpressionOperator, '$dateTrunc'>, Operator> = {
  $add: arithmetic(sql`+`, 'any'),
  $multiply: arithmetic(sql`*`, 'any'),
  $subtract: arithmetic(sql`-`, 2),
  $divide: (name, operands) => {
    const [dividend, divisor, ...more] = operands
    if (!dividend || !divisor || more.length > 0) throw invalidFilter(`"${name}" takes two values.`)
    return { type: 'number', sql: sql`(${asNumber(name, dividend)} / NULLIF(${asNumber(name, divisor)}, 0))` }
  },
  $concat: (name, operands, { field }) => {
    if (operands.length === 0) throw invalidFilter(`"${name}" takes at least one value.`)
    const other = operands.find(({ type }) => type !== 'string')
    if (other) throw invalidFilter(`"${name}" joins text; convert other values with "$toString".`)
    const values = operands.map((operand) => operand.sql)
    return { type: 'string', sql: joinedText(values, field) }
  },
  $round: (name, operands) => {
    const [value, places, ...more] = operands
    if (!value || more.length > 0)
      throw invalidFilter(`"${name}" takes a number and, optionally, a number of decimals.`)
    const number = asNumber(name, value)
    // Via numeric, which rounds 2.5 to 3. A number with more than fifteen digits has no decimals left.
    const digits = places ? sql`least(greatest(${asNumber(name, places)}, -15), 15)::int` : sql`0`
    return { type: 'number', sql: sql`round(${number}::numeric, ${digits})::float8` }
  },
  $toString: (name, operands) => {
    const [value, ...more] = operands
    if (!value || more.length > 0) throw invalidFilter(`"${name}" takes one value.`)
    return {
      type: 'string',
      sql: value.type === 'id' ? sql`${value.sql}::text` : sql`${valueText(value.sql, value.type)}`,
    }
  },
  $year: partOfDate,
  $month: partOfDate,
  $dayOfMonth: partOfDate,
  $hour: partOfDate,
  $dayOfWeek: partOfDate,
}

function isExpressionOperator(name: string): name is keyof typeof operators {
  return Object.hasOwn(operators, name)
}

function asNumber(operator: string, operand: Computed): Sql {
  // PostgreSQL would divide integers without decimals.
  if (operand.type === 'number') return sql`${operand.sql}::float8`
  if (operand.variants) return operand.variants.number.sql
  throw invalidFilter(`"${operator}" takes numbers only.`)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100)
}
