import { sql } from 'kysely'
import type { Sql } from './filter-field.ts'
import type { Order } from './filter-level.ts'

/**
 * Conditions for the rows after the row with the given id and values, to be queried one after the other until the page
 * is full: rows with a value, then rows without one. Each lets an index scan start where the page starts. `missing`:
 * for each value, whether the row lacks it.
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
