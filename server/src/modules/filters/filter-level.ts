import { sql } from 'kysely'
import { foldName } from '#contacts'
import { type FieldResolver, type FilterField, fieldOf, resolverOf, type Sql } from './filter-field.ts'
import type { ExpressionScope } from './filter-expression.ts'

/** What rows are put in order by. */
export type Order = { sql: Sql; isDescending: boolean }

/**
 * One SELECT of a pipeline: rows to read, and what of them is wanted. A stage changes the level it finds, or puts
 * another on top of it (`wrapLevel`) where SQL would do things in another order than the stages say.
 */
export type Level = ExpressionScope & {
  /** `contacts`: a row is a contact; `events`: a contact and one event of it; `rows`: what was grouped or projected. */
  kind: 'contacts' | 'events' | 'rows'
  /** Whether it reads the account's own tables, not what an earlier level has left of them. */
  isWhole: boolean
  /** FROM's list. Fields that are resolved later add to it, so it is asked for last. */
  from: () => Sql
  where: Sql[]
  /** What `$sort` has asked for; null when nothing has. */
  sort: Order[] | null
  /** The order of what is alike otherwise, so that pages fit together. */
  order: () => Order[]
  skip: number
  limit: number | null
  /** Of `rows`: their columns. */
  columns: string[]
  /** Of `contacts` and `events`: what `$addFields` has added. */
  added: string[]
  /** Of `contacts` and `events`: folded names of what `$project` has left out. */
  without: ReadonlySet<string>
}

/** What the rows of a level are sorted by, all told. */
function orderOf(level: Level): Order[] {
  return [...(level.sort ?? []), ...level.order()]
}

/** ORDER BY's list. Rows without a value come last in either direction. */
export function orderTerms(orders: Order[]): Sql {
  const terms = orders.map((order) => sql`${order.sql} ${order.isDescending ? sql`DESC` : sql`ASC`} NULLS LAST`)
  return sql.join(terms)
}

function orderList(orders: Order[]): Sql {
  return orders.length === 0 ? sql`` : sql`ORDER BY ${orderTerms(orders)}`
}

/** The SELECT of a level that gives `columns`. `page` narrows it further. */
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

/** Whether the level gives but a part of the rows that match it. */
export function isCut(level: Level): boolean {
  return level.skip > 0 || level.limit !== null
}

/** A level whose rows are those of `inner`, as it gives them: cut off, computed, in its order. */
export function wrapLevel(inner: Level, alias: string): Level {
  const carried: Sql[] = []
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
  const known = new Map<string, FilterField | undefined>()
  const find = (name: string): FilterField | undefined => {
    const key = foldName(name)
    if (!known.has(key)) {
      const field = inner.resolve(name)
      known.set(key, field && carryField(field, carry, inner.textOrder))
    }
    return known.get(key)
  }
  return resolverOf(find, (name) => {
    const special = inner.resolve.special?.(name)
    return special?.of ? { ...special, of: special.of.map(carry) } : undefined
  })
}

function carryField(field: FilterField, carry: (value: Sql) => Sql, textOrder: Sql): FilterField {
  const { variants, orderBy } = field
  const carried = fieldOf(field.name, field.type, carry(field.sql), textOrder, field.timeZone)
  if (orderBy) carried.orderBy = orderBy.map(carry)
  if (variants) {
    const { number, boolean } = variants
    carried.variants = {
      number: fieldOf(field.name, 'number', carry(number.sql), textOrder),
      boolean: fieldOf(field.name, 'boolean', carry(boolean.sql), textOrder),
    }
  }
  return carried
}
