import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import { personsAs } from '#persons'
import type { Tables } from '../tables.ts'

export type NewSession = {
  personId: string
  passkeyId: string | null
  at: Date
  expiresAt: Date
  address: string
  device: string
}

/** Returns the session's id. */
export async function insertSession(db: Db, session: NewSession): Promise<string> {
  const id = crypto.randomUUID()
  const { personId, passkeyId, at, expiresAt, address, device } = session
  await control<Tables>(db)
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
      accounts: [],
      passkey_id: passkeyId,
    })
    .execute()
  return id
}

/** The addresses from which the person has signed in. */
export async function selectSessionAddresses(db: Db, personId: string): Promise<string[]> {
  const rows = await control<Tables>(db)
    .selectFrom('sessions')
    .select('address')
    .distinct()
    .where('person_id', '=', personId)
    .execute()
  return rows.map(({ address }) => address)
}

/** Keys of emails, with the addresses they have signed in from, of the `limit` latest sessions. */
export async function selectSignInPlaces(db: Db, limit: number): Promise<{ key: string; address: string }[]> {
  const { rows } = await sql<{ key: string; address: string }>`
    SELECT DISTINCT p.email_key AS key, s.address
    FROM (SELECT person_id, address FROM portico.sessions ORDER BY created_at DESC LIMIT ${limit}) s
    JOIN ${sql.raw(personsAs('p'))} ON p.id = s.person_id WHERE p.email_key IS NOT NULL`.execute(db)
  return rows
}

export async function updateLastSeen(db: Db, id: string, at: Date): Promise<void> {
  await control<Tables>(db)
    .updateTable('sessions')
    .set({ last_seen_at: at })
    .where('id', '=', id)
    .where('last_seen_at', '<', at)
    .execute()
}

export async function updateRevoked(db: Db, id: string, at: Date): Promise<void> {
  await control<Tables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Removes the sessions of a person that expired before `before`. */
export async function deleteExpiredSessions(db: Db, personId: string, before: Date): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .where('expires_at', '<', before)
    .execute()
}

export type SessionOfPerson = {
  id: string
  device: string
  address: string
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
  /** Accounts entered with it. */
  accounts: AccountId[]
}

/** The active sessions seen since `seenSince`, latest activity first. */
export async function selectSessionsOfPerson(
  db: Db,
  personId: string,
  { now, seenSince }: { now: Date; seenSince: Date },
): Promise<SessionOfPerson[]> {
  return control<Tables>(db)
    .selectFrom('sessions')
    .select([
      'id',
      'device',
      'address',
      'created_at as createdAt',
      'last_seen_at as lastSeenAt',
      'expires_at as expiresAt',
      'accounts',
    ])
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', seenSince)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .execute()
}

/** Ends one active session of the person. Returns false when there is no such session. */
export async function updateOwnSessionRevoked(db: Db, personId: string, id: string, at: Date): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Ends the sessions of a person other than `except`; null ends all. Returns their number. */
export async function updateSessionsRevoked(
  db: Db,
  personId: string,
  except: string | null,
  at: Date,
): Promise<number> {
  const update = control<Tables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
  const updated = await (except === null ? update : update.where('id', '!=', except)).executeTakeFirst()
  return Number(updated.numUpdatedRows)
}

/** Ends the active sessions of all persons. Returns their number. */
export async function updateAllSessionsRevoked(db: Db, at: Date): Promise<number> {
  const updated = await control<Tables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  return Number(updated.numUpdatedRows)
}

/** Records that an account was entered with the session. */
export async function updateSessionAccounts(db: Db, account: AccountId, id: string): Promise<void> {
  await sql`
    UPDATE portico.sessions SET accounts = accounts || ${account}::integer
    WHERE id = ${id} AND ${account}::integer <> ALL (accounts)`.execute(db)
}

/**
 * The number of active sessions of a person that have entered the account and started after `since` (null: at any
 * time).
 */
export async function countSessions(
  db: Db,
  account: AccountId,
  { personId, since, now }: { personId: string; since: Date | null; now: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM portico.sessions
    WHERE person_id = ${personId} AND revoked_at IS NULL AND expires_at > ${now} AND ${account}::integer = ANY (accounts)
      AND (${since}::timestamptz IS NULL OR created_at > ${since})`.execute(db)
  return rows[0]?.count ?? 0
}

export async function selectIsActive(db: Db, id: string, now: Date): Promise<boolean> {
  const row = await control<Tables>(db)
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Null if there is no such session. */
export async function selectPasswordConfirmedAt(db: Db, sessionId: string): Promise<Date | null> {
  const row = await control<Tables>(db)
    .selectFrom('sessions')
    .select('password_given_at')
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row?.password_given_at ?? null
}

export async function updatePasswordConfirmedAt(db: Db, sessionId: string, at: Date): Promise<void> {
  await control<Tables>(db).updateTable('sessions').set({ password_given_at: at }).where('id', '=', sessionId).execute()
}

/** Whether a passkey was shown in the session, which its person still has. */
export async function selectShowsPasskey(db: Db, sessionId: string): Promise<boolean> {
  const row = await control<Tables>(db)
    .selectFrom('sessions')
    .select('passkey_id')
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return Boolean(row?.passkey_id)
}

/** Records that a passkey was shown in the session, unless one was before. */
export async function updateShownPasskey(db: Db, sessionId: string, passkeyId: string): Promise<void> {
  await control<Tables>(db)
    .updateTable('sessions')
    .set({ passkey_id: passkeyId })
    .where('id', '=', sessionId)
    .where('passkey_id', 'is', null)
    .execute()
}

/** The sessions in which the passkey was shown, other than `except`, with those that have ended. */
export async function selectPasskeySessions(db: Db, passkeyId: string, except: string): Promise<string[]> {
  const rows = await control<Tables>(db)
    .selectFrom('sessions')
    .select('id')
    .where('passkey_id', '=', passkeyId)
    .where('id', '!=', except)
    .execute()
  return rows.map(({ id }) => id)
}

/** Ends the sessions in which the passkey was shown, other than `except`. Returns their number. */
export async function updatePasskeySessionsRevoked(
  db: Db,
  passkeyId: string,
  except: string,
  at: Date,
): Promise<number> {
  const updated = await control<Tables>(db)
    .updateTable('sessions')
    .set({ revoked_at: at })
    .where('passkey_id', '=', passkeyId)
    .where('id', '!=', except)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  return Number(updated.numUpdatedRows)
}
