import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import type { Tables } from './tables.ts'

type Edited = keyof Pick<Tables, 'policies' | 'groups' | 'identities'>

/** Locks an item of this owner (null: a global one) until the end of the transaction. */
export async function lockVersion(
  db: Db,
  owner: AccountId | null,
  table: Edited,
  id: string,
): Promise<VersionRow | undefined> {
  const { rows } = await sql<VersionRow>`
    SELECT version, saves FROM portico.${sql.table(table)}
    WHERE id = ${id} AND account_id IS NOT DISTINCT FROM ${owner}::integer FOR UPDATE`.execute(db)
  return rows[0]
}
