import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { personsAs } from '#persons'
import { identitiesAs } from '../identities/identity-sql.ts'
import {
  accessColumnsOfIdentity,
  accessColumnsOfPerson,
  accessJoins,
  type AccessRow,
  firstAccessRow,
} from './access-sql.ts'

// Runs on every sign-in and entry, so it is a named prepared statement, which PostgreSQL plans once per connection:
// planning takes several times as long as running. Kysely cannot name statements.

/** The person and their identities on `account`; null without such a person. */
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

/**
 * One identity on `account`, and its person or service; null if it does not exist. Its list of identities is empty when
 * it does not give access to the account.
 */
export async function selectIdentityAccess(
  pool: pg.Pool,
  account: AccountId,
  identityId: string,
): Promise<AccessRow | null> {
  const { rows } = await pool.query<AccessRow>({
    name: 'select access of an identity',
    text: `SELECT ${accessColumnsOfIdentity('acting')} FROM ${identitiesAs('acting')} LEFT JOIN ${personsAs('p')} ON p.id = acting.person_id
      ${accessJoins('$2', 'i.id = acting.id')} WHERE acting.id = $1`,
    values: [identityId, account],
  })
  return firstAccessRow(rows)
}
