import { control, type Db } from '#platform/database.ts'

type SessionTables = {
  sessions: {
    id: string
    person_id: string
    created_at: Date
    password_given_at: Date
    last_seen_at: Date
    expires_at: Date
    revoked_at: Date | null
    address: string
    device: string
  }
}

export type NewSession = { personId: string; at: Date; expiresAt: Date; address: string; device: string }

/** Answers the session's id. */
export async function insertSession(db: Db, session: NewSession): Promise<string> {
  const id = crypto.randomUUID()
  const { personId, at, expiresAt, address, device } = session
  await control<SessionTables>(db)
    .insertInto('sessions')
    .values({
      id,
      person_id: personId,
      created_at: at,
      password_given_at: at,
      last_seen_at: at,
      expires_at: expiresAt,
      revoked_at: null,
      address,
      device,
    })
    .execute()
  return id
}

export async function updateLastSeen(db: Db, id: string, at: Date): Promise<void> {
  await control<SessionTables>(db)
    .updateTable('sessions')
    .set({ last_seen_at: at })
    .where('id', '=', id)
    .where('last_seen_at', '<', at)
    .execute()
}

export async function updateRevoked(db: Db, id: string, at: Date): Promise<void> {
  await control<SessionTables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Removes the sessions of a person that expired before `before`. */
export async function deleteExpiredSessions(db: Db, personId: string, before: Date): Promise<void> {
  await control<SessionTables>(db)
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .where('expires_at', '<', before)
    .execute()
}
