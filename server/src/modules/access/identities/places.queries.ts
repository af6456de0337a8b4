import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountsAs } from '#accounts'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

/** The accounts where a person has an identity that is enabled; `account` null means all accounts. By name. */
export async function selectPlaces(
  db: Db,
  personId: string,
): Promise<{ account: AccountId | null; name: string | null }[]> {
  const { rows } = await sql<{ account: AccountId | null; name: string | null }>`
    SELECT i.account_id AS account, a.name
    FROM portico.identities i LEFT JOIN ${sql.raw(accountsAs('a'))} ON a.id = i.account_id
    WHERE i.person_id = ${personId} AND NOT i.is_disabled
    ORDER BY a.name`.execute(db)
  return rows
}

/** The name that an account gave a person; null without one. Used until they choose a name of their own. */
export async function selectGivenName(db: Db, personId: string): Promise<string | null> {
  const found = await control<Tables>(db)
    .selectFrom('identities')
    .select('user_name')
    .where('person_id', '=', personId)
    .where('user_name', 'is not', null)
    .orderBy('account_id')
    .limit(1)
    .executeTakeFirst()
  return found?.user_name ?? null
}
