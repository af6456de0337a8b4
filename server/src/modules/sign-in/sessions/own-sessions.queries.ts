import { control, type Db } from '#platform/database.ts'

type OwnSessionTables = {
  sessions: {
    id: string
    person_id: string
    created_at: Date
    last_seen_at: Date
    expires_at: Date
    revoked_at: Date | null
    address: string
    device: string
  }
  impersonations: { person_id: string; expires_at: Date; revoked_at: Date | null }
}

export type SessionOfPerson = {
  id: string
  device: string
  address: string
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}

/** The sessions that have not ended: those seen since `seenSince`, latest activity first. */
export async function selectSessionsOfPerson(
  db: Db,
  personId: string,
  { now, seenSince }: { now: Date; seenSince: Date },
): Promise<SessionOfPerson[]> {
  return control<OwnSessionTables>(db)
    .selectFrom('sessions')
    .select([
      'id',
      'device',
      'address',
      'created_at as createdAt',
      'last_seen_at as lastSeenAt',
      'expires_at as expiresAt',
    ])
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', seenSince)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .execute()
}

/** Ends one session, if it is the person's and has not ended. Answers whether it did. */
export async function updateOwnSessionRevoked(db: Db, personId: string, id: string, at: Date): Promise<boolean> {
  const updated = await control<OwnSessionTables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Ends the sessions of a person but `except`; null ends all. Answers how many. */
export async function updateSessionsRevoked(
  db: Db,
  personId: string,
  except: string | null,
  at: Date,
): Promise<number> {
  const update = control<OwnSessionTables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
  const updated = await (except === null ? update : update.where('id', '!=', except)).executeTakeFirst()
  return Number(updated.numUpdatedRows)
}

/** Ends all impersonation links that a person has made. */
export async function updateOwnImpersonationsRevoked(db: Db, personId: string, at: Date): Promise<void> {
  await control<OwnSessionTables>(db)
    .updateTable('impersonations')
    .set({ revoked_at: at })
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .execute()
}
