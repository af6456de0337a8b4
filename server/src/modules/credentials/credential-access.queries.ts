import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { accessColumnsOfIdentity, accessJoins, type AccessRow, firstAccessRow, identitiesAs } from '#access'
import { personsAs } from '#persons'

/** An API credential with the permissions of its identity. */
export type CredentialAccessRow = AccessRow & {
  credential_id: string
  identity_id: string
  number: number
  name: string
  access_key: string
  secret_hash: string
  is_active: boolean
  last_used_at: Date | null
  expires_at: Date | null
}

// Runs on every request, so it is a named prepared statement, which PostgreSQL plans once per connection: planning
// takes several times as long as running. Kysely cannot name statements.

/** The API credential of this key on `account`, or (null) on the account of its identity; null if there is none. */
export async function selectCredential(
  pool: pg.Pool,
  accessKey: string,
  account: AccountId | null,
): Promise<CredentialAccessRow | null> {
  const { rows } = await pool.query<CredentialAccessRow>({
    name: 'select credential',
    text: `SELECT c.id AS credential_id, c.identity_id, c.number, c.name, c.access_key, c.secret_hash, c.is_active, c.last_used_at, c.expires_at,
        ${accessColumnsOfIdentity('ci')}
      FROM portico.api_credentials c
      JOIN ${identitiesAs('ci')} ON ci.id = c.identity_id
      LEFT JOIN ${personsAs('p')} ON p.id = ci.person_id
      ${accessJoins('coalesce($2, ci.account_id)', 'i.id = ci.id')} WHERE c.access_key = $1`,
    values: [accessKey, account],
  })
  return firstAccessRow(rows)
}

/** SQL: whether the API credential whose id a column holds authenticates at this time. True if the column is null. */
export const isAliveCredential = (column: string, at: Date): RawBuilder<boolean> =>
  sql`(${sql.ref(column)} IS NULL OR EXISTS (
    SELECT FROM portico.api_credentials c
    WHERE c.id = ${sql.ref(column)} AND c.is_active AND (c.expires_at IS NULL OR c.expires_at > ${at})))`

/** Whether an API credential of an identity authenticates now. */
export async function isCredentialAlive(pool: pg.Pool, identity: string, id: string, now: Date): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT FROM portico.api_credentials
     WHERE id = $1 AND identity_id = $2 AND is_active AND (expires_at IS NULL OR expires_at > $3)`,
    [id, identity, now],
  )
  return rows.length > 0
}
