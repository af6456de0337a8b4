import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { accessColumnsOfPerson, accessJoins, type AccessRow, firstAccessRow } from '#access'
import { personsAs } from '#persons'

/** A session, and what its holder may do. */
export type SessionRow = AccessRow & {
  session_id: string
  last_seen_at: Date
  expires_at: Date
  revoked_at: Date | null
}

// Runs at every request, so it goes to `pg` under a name and PostgreSQL plans it once a connection: planning takes several
// times as long as running, and Kysely cannot name a statement.

/** The session, its holder and what they hold on `account`, in one round trip; null when there is none. */
export async function selectSession(
  pool: pg.Pool,
  sessionId: string,
  account: AccountId | null,
): Promise<SessionRow | null> {
  const { rows } = await pool.query<SessionRow>({
    name: 'select session',
    text: `SELECT s.id AS session_id, s.last_seen_at, s.expires_at, s.revoked_at, ${accessColumnsOfPerson}
      FROM portico.sessions s JOIN ${personsAs('p')} ON p.id = s.person_id ${accessJoins('$2')} WHERE s.id = $1`,
    values: [sessionId, account],
  })
  return firstAccessRow(rows)
}
