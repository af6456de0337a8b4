import type { AccountId } from '@portico/contract/accounts'
import { foldName } from '@portico/domain/names'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'

/**
 * Whether a name is already used anywhere that a group or policy of this owner is visible. Global ones are visible
 * everywhere.
 */
export async function isNameTaken(
  db: Db,
  account: AccountId | null,
  table: 'groups' | 'policies',
  { name, except }: { name: string; except: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM ${sql.id('portico', table)}
    WHERE name_key = ${foldName(name)} AND id IS DISTINCT FROM ${except}::uuid
      AND (account_id IS NULL OR ${account}::integer IS NULL OR account_id = ${account}) LIMIT 1`.execute(db)
  return rows.length > 0
}
