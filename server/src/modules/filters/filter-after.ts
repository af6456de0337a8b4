import { sql } from 'kysely'
import type { Sql } from './filter-field.ts'
import type { Order } from './filter-level.ts'

/**
 * The rows that come after one whose id and values are given, as conditions to be asked one after the other until the
 * page is full: those with a value, then those without. Each lets an index begin where the page begins.
 * `missing` says which of the values the row does not have.
 */
export function conditionsAfter(orders: Order[], values: Sql[], missing: boolean[], id: Sql, lastId: Sql): Sql[] {
  const isAfter = (from: number): Sql => {
    const [order, value] = [orders[from], values[from]]
    if (!order || !value) return sql`${id} > ${lastId}`
    if (missing[from]) return sql`(${order.sql} IS NULL AND ${isAfter(from + 1)})`
    return sql`(${order.sql} ${beyond(order)} ${value} OR ${order.sql} IS NULL
      OR (${order.sql} = ${value} AND ${isAfter(from + 1)}))`
  }
  const [first, value] = [orders[0], values[0]]
  if (!first || !value || missing[0]) return [isAfter(0)]
  const least = sql`${first.sql} ${beyond(first)}= ${value}`
  return [sql`(${least} AND (${first.sql} ${beyond(first)} ${value} OR ${isAfter(1)}))`, sql`${first.sql} IS NULL`]
}

function beyond({ isDescending }: Order): Sql {
  return isDescending ? sql`<` : sql`>`
}
