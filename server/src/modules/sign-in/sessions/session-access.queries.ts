import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { accessColumnsOfSession, accessJoins, type AccessRow, firstAccessRow, takesSession } from '#access'
import { personsAs } from '#persons'

/** A session with the permissions of its person. */
export type SessionRow = AccessRow & {
  session_id: string
  last_seen_at: Date
  expires_at: Date
  revoked_at: Date | null
  shows_passkey: boolean
}

const showsPasskey = '(s.passkey_id IS NOT NULL)'

// Runs on every request, so it is a named prepared statement, which PostgreSQL plans once per connection: planning
// takes several times as long as running. Kysely cannot name statements.

/** The session with its person and their identities on `account`, in one round trip; null if there is none. */
export async function selectSession(
  pool: pg.Pool,
  sessionId: string,
  account: AccountId | null,
): Promise<SessionRow | null> {
  const { rows } = await pool.query<SessionRow>({
    name: 'select session',
    text: `SELECT s.id AS session_id, s.last_seen_at, s.expires_at, s.revoked_at, ${showsPasskey} AS shows_passkey,
        ${accessColumnsOfSession(showsPasskey)}
      FROM portico.sessions s JOIN ${personsAs('p')} ON p.id = s.person_id
        ${accessJoins('$2', `i.person_id = p.id AND ${takesSession('i', 's.created_at')}`)}
      WHERE s.id = $1`,
    values: [sessionId, account],
  })
  return firstAccessRow(rows)
}
