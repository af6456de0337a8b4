import { sql } from 'kysely'
import { type FieldResolver, type FilterField, fieldOf, resolverOf, type Sql } from './filter-field.ts'
import type { ExpressionScope } from './filter-expression.ts'

/** One expression to sort by. */
export type Order = { sql: Sql; isDescending: boolean }

/**
 * One SELECT of a pipeline. A stage changes the current level, or wraps it in another one (`wrapLevel`) if SQL would
 * apply its clauses in another order than that of the stages.
 */
export type Level = ExpressionScope & {
  /** A row is a contact, a contact and one of its events, or (`rows`) a result of grouping or projecting. */
  kind: 'contacts' | 'events' | 'rows'
  /** Whether it reads the account's tables instead of the rows of an inner level. */
  isWhole: boolean
  /** SQL for the FROM clause. Resolving a field may add a table, so call it last. */
  from: () => Sql
  where: Sql[]
  /** The order of the last `$sort`; null if there is none. */
  sort: Order[] | null
  /** Breaks ties, so that pages do not overlap. */
  order: () => Order[]
  skip: number
  limit: number | null
  /** Of `rows`: their columns. */
  columns: string[]
  /** Of `contacts` and `events`: fields added by `$addFields`. */
  added: string[]
  /** Of `contacts` and `events`: folded names of fields excluded by `$project`. */
  without: ReadonlySet<string>
}

/** The complete order of a level, including tie-breakers. */
function orderOf(level: Level): Order[] {
  return [...(level.sort ?? []), ...level.order()]
}

/** SQL for the ORDER BY clause. Rows without a value come last in either direction. */
export function orderTerms(orders: Order[]): Sql {
  const terms = orders.map((order) => sql`${order.sql} ${order.isDescending ? sql`DESC` : sql`ASC`} NULLS LAST`)
  return sql.join(terms)
}

function orderList(orders: Order[]): Sql {
  return orders.length === 0 ? sql`` : sql`ORDER BY ${orderTerms(orders)}`
}

/** The SELECT of a level with these columns. `page` limits it further. */
export function selectLevel(level: Level, columns: Sql[], page?: { limit: number; skip: number }): Sql {
  const skip = level.skip + (page?.skip ?? 0)
  const left = level.limit === null ? null : Math.max(0, level.limit - (page?.skip ?? 0))
  const limit = page ? Math.min(page.limit, left ?? page.limit) : left
  return sql`SELECT ${sql.join(columns)} FROM ${level.from()} ${whereList(level.where)} ${orderList(orderOf(level))}
    ${limit === null ? sql`` : sql`LIMIT ${limit}`} ${skip === 0 ? sql`` : sql`OFFSET ${skip}`}`
}

export function whereList(conditions: Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`
}

/** Whether the level skips or limits its rows. */
export function isCut(level: Level): boolean {
  return level.skip > 0 || level.limit !== null
}

/** A level over the rows of `inner`, already limited and computed, in the same order. */
export function wrapLevel(inner: Level, alias: string): Level {
  const carried: Sql[] = []
  inner.tally.areas++
  const carry = (value: Sql): Sql => sql.id(alias, `f${carried.push(value) - 1}`)
  const order = orderOf(inner).map((term) => ({ ...term, sql: carry(term.sql) }))
  return {
    ...inner,
    isWhole: false,
    resolve: carryResolver(inner, carry),
    from() {
      const columns = carried.map((value, at) => sql`${value} AS ${sql.id(`f${at}`)}`)
      return sql`(${selectLevel(inner, columns.length === 0 ? [sql`TRUE`] : columns)}) AS ${sql.id(alias)}`
    },
    where: [],
    sort: null,
    order: () => order,
    skip: 0,
    limit: null,
  }
}

function carryResolver(inner: Level, carry: (value: Sql) => Sql): FieldResolver {
  const known = new Map<string, FilterField>()
  const find = (name: string): FilterField | undefined => {
    const field = inner.resolve(name)
    // By the field's own name: one column for all spellings.
    const carried = field && (known.get(field.name) ?? carryField(field, carry, inner.textOrder))
    if (field && carried) known.set(field.name, carried)
    return carried
  }
  return resolverOf(find, (name) => {
    const special = inner.resolve.special?.(name)
    return special?.of ? { ...special, of: special.of.map(carry) } : undefined
  })
}

function carryField(field: FilterField, carry: (value: Sql) => Sql, textOrder: Sql): FilterField {
  const { variants, orderBy, weight } = field
  const carried = fieldOf(field.name, field.type, carry(field.sql), textOrder, field.timeZone)
  if (orderBy) carried.orderBy = orderBy.map(carry)
  // Wrapping a level between two stages must not reset the count of operations.
  if (weight !== undefined) carried.weight = weight
  if (variants) {
    const { number, boolean, json, isOfEvent } = variants
    carried.variants = {
      number: fieldOf(field.name, 'number', carry(number.sql), textOrder),
      boolean: fieldOf(field.name, 'boolean', carry(boolean.sql), textOrder),
      json: carry(json),
      isOfEvent,
    }
  }
  return carried
}
