import type { FieldType } from '@portico/contract/contacts'
import type { RawBuilder } from 'kysely'
import { AppError } from '#platform/app-error.ts'

export type Sql = RawBuilder<unknown>

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
  /** What to sort by, where that is not `ordered`. */
  orderBy?: Sql[]
}

/** Finds a field by the name a user gave; undefined when there is none. */
export type FieldResolver = (name: string) => FilterField | undefined

export function invalidFilter(message: string): AppError {
  return new AppError('invalid_filter', undefined, message)
}

/** The field of that name, or the error for people who named one that isn't there. */
export function requireField(resolve: FieldResolver, name: string): FilterField {
  const field = resolve(name)
  if (!field) throw invalidFilter(`Unexpected field in standard filter: "${name}"`)
  return field
}
