import { type FieldResolver, type FilterField, isObject, type Sql } from './filter-field.ts'
import { compileInner, newTally } from './filter-match.ts'

/** Numbers of rows of a special field: all, those that meet a condition, and the moment (ISO 8601) of the last of these. */
export type RowsSummary = { all: number; meeting: number; latest: string | null }

/** The values that a condition is compared with, as SQL. `summary` is JSON (`RowsSummary`); null unless it is about rows. */
export type Seen = { fields: readonly FilterField[]; summary: Sql | null }

/**
 * The values of a contact that the test of a name in a `$match` looks at: its field, its place, or its events with the
 * condition on one of them. None for words, which may be in any field.
 * @throws invalid_filter for a condition on events that does not compile
 */
export function readSeen(name: string, test: unknown, resolve: FieldResolver): Seen {
  const field = resolve(name)
  if (field) return { fields: [field], summary: null }
  const special = resolve.special?.(name)
  const element = special?.rows && readElement(test)
  if (!special?.rows || element === undefined) return { fields: special?.values ?? [], summary: null }
  const { rows, of } = special
  const condition = compileInner(element, rows.resolve, { resolve: rows.resolve, tally: newTally() })
  return { fields: [], summary: rows.summary(condition, of ?? []) }
}

/** The condition on one row, also within `$not`. */
function readElement(test: unknown): unknown {
  if (!isObject(test)) return undefined
  return Object.hasOwn(test, '$elemMatch') ? test['$elemMatch'] : readElement(test['$not'])
}
