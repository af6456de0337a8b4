import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { AppError } from '#platform/app-error.ts'

export type Sql = RawBuilder<unknown>

/** Operators that look at what is less and what is more. */
export type Comparison = '$gt' | '$gte' | '$lt' | '$lte'

/** As users know types, plus `id`: a whole number that is text on the wire. */
export type FilterType = FieldType | 'id'

/** A field that filters, sorts and selections may name. Everything in `sql` comes from the portal, never from a user. */
export type FilterField = {
  name: string
  type: FilterType
  /** Its value: text, double precision, integer, boolean, timestamptz or bigint; NULL where it has none. */
  sql: Sql
  /** The same in the order that people expect of text. Comparing and sorting use it both, so one index serves them. */
  ordered: Sql
  /** Condition for one value, where an index wants it said otherwise than `sql = value`. */
  equals?: (value: string) => Sql
  /** The same for what is less or more than a value. */
  compare?: (operator: Comparison, value: string) => Sql
  /** What to sort by, where that is not `ordered`. */
  orderBy?: Sql[]
  /** Of a date: the time zone (IANA name) in which a day of it is meant; UTC unless it says. */
  timeZone?: string
  /** Of a value whose type nobody declared: `sql` is its text, these are the same as a number, and as true or false. */
  variants?: { number: FilterField; boolean: FilterField }
  /** How many operations it takes to work out, where it is computed. */
  weight?: number
}

/** What is shared by all the conditions of a filter: how many there are, and what says how well a row matches. */
export type Tally = { conditions: number; rank: Sql | null }

export type Compilation = { resolve: FieldResolver; tally: Tally }

/**
 * What has no single value, such as the events of a contact: it can be matched by operators of its own, no more. `of` is
 * what it reads of the row; null when it can only be asked of the contacts themselves.
 */
export type SpecialField = {
  name: string
  of: Sql[] | null
  compile: (operator: string, asked: unknown, compilation: Compilation, of: Sql[]) => Sql
}

/** Finds a field by the name a user gave; undefined when there is none. */
export type FieldResolver = {
  (name: string): FilterField | undefined
  special?: (name: string) => SpecialField | undefined
}

/** A resolver that finds by `find`, and the special fields of another. */
export function resolverOf(
  find: (name: string) => FilterField | undefined,
  special?: FieldResolver['special'],
): FieldResolver {
  return special ? Object.assign((name: string) => find(name), { special }) : find
}

export function invalidFilter(message: string): AppError {
  return new AppError('invalid_filter', undefined, message)
}

export function unknownOperator(operator: string): AppError {
  return invalidFilter(`Unknown Operator: "${operator}"`)
}

export function unexpectedField(name: string): AppError {
  return invalidFilter(`Unexpected field in standard filter: "${name}"`)
}

/** The field of that name, or the error for people who named one that isn't there. */
export function requireField(resolve: FieldResolver, name: string): FilterField {
  const field = resolve(name)
  if (!field) throw unexpectedField(name)
  return field
}

/** What a JSON object is, and a list or null is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field of some expression, ordered as its type asks for. */
export function fieldOf(name: string, type: FilterType, value: Sql, textOrder: Sql, timeZone?: string): FilterField {
  const ordered = type === 'string' ? sql`${value} ${textOrder}` : value
  return { name, type, sql: value, ordered, ...(type === 'date' && timeZone !== undefined && { timeZone }) }
}
