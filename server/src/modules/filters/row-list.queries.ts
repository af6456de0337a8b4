import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import type { Sql } from './filter-field.ts'

type Page = { where: Sql | null; orderBy: Sql; limit: number; skip: number }

/** Whole rows of one table of the account. */
export async function selectRows<Row>(
  db: Db,
  account: AccountId,
  table: string,
  { where, orderBy, limit, skip }: Page,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    SELECT * FROM ${accountTable(account, table)} WHERE ${where ?? sql`TRUE`}
    ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${skip}`.execute(db)
  return rows
}

export async function countRows(
  db: Db,
  account: AccountId,
  from: RawBuilder<unknown>,
  where: Sql | null,
): Promise<number> {
  // A float holds any realistic count, and the driver returns it as a number.
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${from} WHERE ${where ?? sql`TRUE`}`.execute(db)
  return rows[0]?.count ?? 0
}
