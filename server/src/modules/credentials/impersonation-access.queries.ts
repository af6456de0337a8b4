import type pg from 'pg'
import { accessColumnsOfPerson, accessJoins, type AccessRow, firstAccessRow } from '#access'
import { personsAs } from '#persons'

/** An impersonation link with the permissions of its creator. */
export type ImpersonationAccessRow = AccessRow & {
  impersonation_id: string
  /** The only address that may use it. */
  address: string
  /** Chosen names of policies and features; null means all. */
  chosen: string[] | null
  /** Ids of the chosen policies; null in links of earlier releases, whose names select them. */
  policy_ids: string[] | null
  expires_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
}

// Runs on every request, so it is a named prepared statement, which PostgreSQL plans once per connection: planning
// takes several times as long as running. Kysely cannot name statements.

/** The impersonation link with its creator and their identities on its account; null if there is none. */
export async function selectImpersonation(pool: pg.Pool, id: string): Promise<ImpersonationAccessRow | null> {
  const { rows } = await pool.query<ImpersonationAccessRow>({
    name: 'select impersonation',
    text: `SELECT m.id AS impersonation_id, m.address, m.policies AS chosen, m.policy_ids, m.expires_at, m.revoked_at, m.last_used_at,
        ${accessColumnsOfPerson}
      FROM portico.impersonations m JOIN ${personsAs('p')} ON p.id = m.person_id ${accessJoins('m.account_id')}
      WHERE m.id = $1`,
    values: [id],
  })
  return firstAccessRow(rows)
}
