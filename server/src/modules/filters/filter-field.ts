import { type FieldType, isDateType } from '@portico/contract/contacts'
import { filterLimits } from '@portico/contract/filter'
import { type RawBuilder, sql } from 'kysely'
import { AppError } from '#platform/app-error.ts'

export type Sql = RawBuilder<unknown>

/** Operators that compare by order. */
export type Comparison = '$gt' | '$gte' | '$lt' | '$lte'

/** The SQL operators for them. */
export const comparisons: Record<Comparison, Sql> = { $gt: sql`>`, $gte: sql`>=`, $lt: sql`<`, $lte: sql`<=` }

/** The types that users see, and `id`: an integer, sent as text on the wire. */
export type FilterType = FieldType | 'id'

/** A field that filters, sorts and selections can name. Its `sql` is written by the portal, never by a user. */
export type FilterField = {
  name: string
  type: FilterType
  /** The value as text, double precision, integer, boolean, timestamptz, date or bigint; NULL if there is none. */
  sql: Sql
  /** The value with the collation of texts. Comparing and sorting both use it, so one index serves both. */
  ordered: Sql
  /** Condition for one value, if an index needs another form than `sql = value`. */
  equals?: (value: string) => Sql
  /** The same for comparisons by order. */
  compare?: (operator: Comparison, value: string) => Sql
  /** Expressions to sort by, if not `ordered`. */
  orderBy?: Sql[]
  /** Of moments and days: the time zone (IANA name) that decides on which day a moment falls; UTC by default. */
  timeZone?: string
  /**
   * Of a value without a declared type: `sql` is its text, these are the value as a number, as a boolean, and as JSON,
   * which keeps its type. `isOfEvent`: rows without a value omit it.
   */
  variants?: { number: FilterField; boolean: FilterField; json: Sql; isOfEvent: boolean }
  /** Of a computed field: its number of operations. */
  weight?: number
}

/**
 * Shared by all stages of a filter: numbers of conditions and operations, the relevance of a row to a `$text`, and the
 * patterns that texts have to match.
 */
export type Tally = {
  conditions: number
  operations: number
  rank: Sql | null
  patterns: FieldPattern[]
  /** Values of groups whose memory has limits of its own. */
  extremeTexts: number
  distinctValues: number
  /** Sums and averages, of each of which a group holds all digits. */
  sums: number
  /** Areas of `work_mem` that the statement holds at once: one for each sort, two for each table of groups. */
  areas: number
}

/** A pattern that the text of a field has to match. */
export type FieldPattern = { field: FilterField; pattern: string }

export type Compilation = { resolve: FieldResolver; tally: Tally }

/**
 * A field with its own operators and no single value, such as the events of a contact. `of`: the columns of the row
 * that it reads; null if it can be used on contacts only.
 */
export type SpecialField = {
  name: string
  of: Sql[] | null
  /**
   * The fields of its rows, and SQL for whether some row meets a condition, which may also name columns of the contact.
   * `summary`: how many rows there are, how many meet it, and when the last of these was, as JSON (`RowsSummary`).
   */
  rows?: {
    resolve: FieldResolver
    some: (condition: Sql, of: Sql[]) => Sql
    summary: (condition: Sql, of: Sql[]) => Sql
  }
  /** The values of the contact that its operators compare. */
  values?: FilterField[]
  compile: (operator: string, argument: unknown, compilation: Compilation, of: Sql[]) => Sql
}

/** Finds a field by the name a user gave; undefined if there is none. */
export type FieldResolver = {
  (name: string): FilterField | undefined
  special?: (name: string) => SpecialField | undefined
}

/** A resolver that finds fields by `find`, and the special fields of another resolver. */
export function resolverOf(
  find: (name: string) => FilterField | undefined,
  special?: FieldResolver['special'],
): FieldResolver {
  return special ? Object.assign((name: string) => find(name), { special }) : find
}

/**
 * Counts the use of an expression, whose SQL is repeated there.
 * @throws invalid_filter if the filter has too many operations
 */
export function spendOperations(tally: Tally, weight = 1): void {
  tally.operations += weight
  if (tally.operations > filterLimits.operationsInAll) {
    throw invalidFilter(`A filter takes at most ${filterLimits.operationsInAll.toLocaleString('en-US')} operations.`)
  }
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

/**
 * Returns the field of that name.
 * @throws invalid_filter if there is none
 */
export function requireField(resolve: FieldResolver, name: string): FilterField {
  const field = resolve(name)
  if (!field) throw unexpectedField(name)
  return field
}

/** Gives a field without a declared type the type of the value it is compared with. */
export function asComparedWith(field: FilterField, value: unknown): FilterField {
  const { weight, variants } = field
  const typed =
    typeof value === 'number' ? variants?.number : typeof value === 'boolean' ? variants?.boolean : undefined
  if (!typed) return field
  return weight === undefined ? typed : { ...typed, weight }
}

/** Whether the values of a field are moments or days. */
export function isDated({ type }: { type: FilterType }): boolean {
  return type !== 'id' && isDateType(type)
}

/** True for JSON objects, false for lists and null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field for an SQL expression, with the collation of its type. */
export function fieldOf(name: string, type: FilterType, value: Sql, textOrder: Sql, timeZone?: string): FilterField {
  const ordered = type === 'string' ? sql`${value} ${textOrder}` : value
  return { name, type, sql: value, ordered, ...(isDated({ type }) && timeZone !== undefined && { timeZone }) }
}

/**
 * A field without a declared type: text, unless it is compared as a number or boolean. In sort order, numbers come
 * first. `kind`: the type of the JSON value, as `jsonb_typeof` returns it.
 */
export function undeclaredField(
  name: string,
  { text, json, kind, isOfEvent }: { text: Sql; json: Sql; kind: Sql; isOfEvent: boolean },
  textOrder: Sql,
): FilterField {
  const as = (type: 'number' | 'boolean', column: Sql): FilterField =>
    fieldOf(name, type, sql`CASE ${kind} WHEN '${sql.raw(type)}' THEN (${text})::${column} END`, textOrder)
  const field = fieldOf(name, 'string', text, textOrder)
  const number = as('number', sql`float8`)
  return {
    ...field,
    orderBy: [number.sql, field.ordered],
    variants: { number, boolean: as('boolean', sql`boolean`), json, isOfEvent },
  }
}
