import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { contactsTable } from '#contacts'
import type { Sql } from '#filters'
import { accountTable, type Db, inTransaction, setLocally } from '#platform/database.ts'

// The index of words still has entries of deleted contacts; this many leave enough others.
export const candidates = 200

/**
 * The ids of a few contacts whose row of `table` meets a condition, found by an index of that table alone. The planner
 * guesses that words are frequent, and would read contacts in order until it has enough: all of them for a rare word.
 */
export async function selectIndexedIds(
  db: Db,
  account: AccountId,
  { table, where, limit }: { table: string; where: Sql; limit: number },
): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    await setLocally(tx, 'enable_seqscan', 'off')
    // With an order or a join instead of the list, the planner would walk along the ids.
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM ${contactsTable(account)} AS contacts WHERE id = ANY (ARRAY(
        SELECT ${sql.id(table)}.id FROM ${accountTable(account, table)} AS ${sql.id(table)}
        WHERE ${where} LIMIT ${candidates}
      )) ORDER BY id LIMIT ${limit}`.execute(tx)
    return rows.map(({ id }) => id)
  })
}
