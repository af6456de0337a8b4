import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { personsAs } from '#persons'
import { accessColumnsOfPerson, accessJoins, type AccessRow, firstAccessRow } from './access-sql.ts'

// Runs at every sign-in and entry, so it goes to `pg` under a name and PostgreSQL plans it once a connection: planning takes
// several times as long as running, and Kysely cannot name a statement.

/** The person and what they hold on `account`; null without such a person. */
export async function selectAccess(
  pool: pg.Pool,
  account: AccountId | null,
  personId: string,
): Promise<AccessRow | null> {
  const { rows } = await pool.query<AccessRow>({
    name: 'select access',
    text: `SELECT ${accessColumnsOfPerson} FROM ${personsAs('p')} ${accessJoins('$2')} WHERE p.id = $1`,
    values: [personId, account],
  })
  return firstAccessRow(rows)
}
