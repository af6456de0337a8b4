import type { AccountId } from '@portico/contract/accounts'
import type { ListQuery } from '@portico/contract/list-query'
import { sql } from 'kysely'
import { accountTimeZone } from '#accounts'
import { invalidField } from '#platform/app-error.ts'
import { accountTable } from '#platform/database.ts'
import { type FilterField, fieldOf, type FilterType } from './filter-field.ts'
import { compilePipeline, compileSort } from './filter-pipeline.ts'
import { countRows, selectRows } from './row-list.queries.ts'
import { selectTextOrder } from './text-order.queries.ts'
import { type QueryContext, userQuery } from './user-query.ts'

/** A table of the account whose rows are listed unchanged, with the columns for filtering and sorting. */
export type ListedTable = {
  name: string
  /** Name on the wire → physical column and type. Must include `_id`, the default order, newest first. */
  fields: Readonly<Record<string, { column: string; type: FilterType }>>
}

/**
 * Lists or counts the rows of a table, with the parameters of the contact service's lists (`find`, `sort`, `skip`,
 * `limit`, `count`).
 * @throws invalid_filter; invalid_input for `select`, which these lists do not support
 */
export async function listRows<Row>(
  context: QueryContext,
  account: AccountId,
  table: ListedTable,
  query: ListQuery,
): Promise<Row[] | { count: number }> {
  if (query.select !== undefined) throw invalidField('select', 'Fields cannot be selected in this list.')
  const resolve = await tableResolver(context, account, table)
  const { where } = compilePipeline(query.find ?? [], resolve)
  // Breaks ties, so that pages do not overlap.
  const newestFirst = compileSort({ _id: -1 }, resolve)
  const orderBy = query.sort ? sql.join([compileSort(query.sort, resolve), newestFirst]) : newestFirst
  return userQuery(context, async (tx) => {
    if (query.count !== undefined) {
      return { count: await countRows(tx, account, accountTable(account, table.name), where) }
    }
    return selectRows<Row>(tx, account, table.name, { ...query, where, orderBy })
  })
}

async function tableResolver(
  { db }: QueryContext,
  account: AccountId,
  { fields }: ListedTable,
): Promise<(name: string) => FilterField | undefined> {
  const [textOrder, timeZone] = await Promise.all([selectTextOrder(db), accountTimeZone(db, account)])
  return (name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return field && fieldOf(name, field.type, sql.id(field.column), textOrder, timeZone)
  }
}
