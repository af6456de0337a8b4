import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { requireRoom } from '#platform/account-limits.ts'
import type { Db } from '#platform/database.ts'

/**
 * Makes sure that an owner may have one more: an account, or (null) the global ones. The caller must hold the access
 * lock.
 * @throws limit_reached
 */
export async function requireRoomOf(
  db: Db,
  account: AccountId | null,
  table: 'groups' | 'policies' | 'identities',
): Promise<void> {
  const isOwned = account === null ? sql`account_id IS NULL` : sql`account_id = ${account}`
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM ${sql.id('portico', table)} WHERE ${isOwned}`.execute(db)
  requireRoom(table, rows[0]?.count ?? 0, { isGlobal: account === null })
}
