import { type EmailAddress, emailKey, readEmailAddress } from '@portico/contract/email-address'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import type { Tables } from './tables.ts'

export type Person = { id: string; email: string; passwordHash: string | null }

export type PersonDetails = Person & {
  /** Counts changes of name and photo. */
  version: number
  userName: string | null
  photoUrl: string | null
  passwordChangedAt: Date | null
  /** It was generated, so it can only be used to choose another one. */
  passwordIsTemporary: boolean
  /** Null while two-factor is off. */
  twoFactorSince: Date | null
}

/**
 * Finds a person by the key of an email. Finds none for a text that is not an address, or an address that several
 * persons share.
 */
export async function selectPerson(db: Db, email: string): Promise<Person | null> {
  const key = emailKey(email)
  if (key === null) return null
  const person = await control<Tables>(db)
    .selectFrom('persons')
    .select(['id', 'email', 'password_hash as passwordHash'])
    .where('email_key', '=', key)
    .where('is_ambiguous', '=', false)
    .executeTakeFirst()
  return person ?? null
}

/** The persons who share an address with this key; empty if only one person has it. */
export async function selectAmbiguous(db: Db, key: string): Promise<{ id: string; email: string }[]> {
  return control<Tables>(db)
    .selectFrom('persons')
    .select(['id', 'email'])
    .where('email_key', '=', key)
    .where('is_ambiguous', '=', true)
    .execute()
}

export async function selectPersonById(db: Db, id: string): Promise<PersonDetails | null> {
  return (await personDetails(db, id).executeTakeFirst()) ?? null
}

/**
 * The same, and locks the person until the end of the transaction. Changes of the password or of two-factor take the
 * same lock, so a proof that matches this row stays valid until then.
 */
export async function lockPersonDetails(tx: Db, id: string): Promise<PersonDetails | null> {
  return (await personDetails(tx, id).forNoKeyUpdate().executeTakeFirst()) ?? null
}

function personDetails(db: Db, id: string) {
  return control<Tables>(db)
    .selectFrom('persons')
    .select([
      'id',
      'version',
      'email',
      'password_hash as passwordHash',
      'user_name as userName',
      'photo_url as photoUrl',
      'password_changed_at as passwordChangedAt',
      'password_is_temporary as passwordIsTemporary',
      'two_factor_since as twoFactorSince',
    ])
    .where('id', '=', id)
}

/** A person who cannot be found by their address. */
export type UnfoundPerson = { id: string; email: string; key: string | null; lastSignInAt: Date | null }

/** The persons whose address is shared or refused, by address. */
export async function selectConflicts(db: Db): Promise<UnfoundPerson[]> {
  return control<Tables>(db)
    .selectFrom('persons')
    .select(['id', 'email', 'email_key as key', 'last_sign_in_at as lastSignInAt'])
    .where((where) => where.or([where('is_ambiguous', '=', true), where('email_key', 'is', null)]))
    .orderBy('email_key')
    .orderBy('email')
    .orderBy('id')
    .execute()
}

export async function selectEmail(db: Db, id: string): Promise<{ email: string; key: string | null } | null> {
  const person = await control<Tables>(db)
    .selectFrom('persons')
    .select(['email', 'email_key as key'])
    .where('id', '=', id)
    .executeTakeFirst()
  return person ?? null
}

/** Gives a person another address. Returns false, and changes nothing, if another person has it. */
export async function updateEmail(db: Db, id: string, { address, key }: EmailAddress): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    UPDATE portico.persons SET email = ${address}, email_key = ${key}, is_ambiguous = false
    WHERE id = ${id} AND NOT EXISTS (SELECT FROM portico.persons WHERE email_key = ${key} AND id <> ${id})
    RETURNING id`.execute(db)
  return rows.length === 1
}

export async function updatePasswordHash(
  db: Db,
  id: string,
  passwordHash: string,
  { at = new Date(), isTemporary = false }: { at?: Date; isTemporary?: boolean } = {},
): Promise<void> {
  await control<Tables>(db)
    .updateTable('persons')
    .set({ password_hash: passwordHash, password_changed_at: at, password_is_temporary: isTemporary })
    .where('id', '=', id)
    .execute()
}

export async function updateUserName(db: Db, id: string, userName: string | null): Promise<void> {
  await control<Tables>(db).updateTable('persons').set({ user_name: userName }).where('id', '=', id).execute()
}

/** Returns those of the URLs that are a person's photo. */
export async function selectPhotoUrls(db: Db, urls: readonly string[]): Promise<string[]> {
  const rows = await control<Tables>(db)
    .selectFrom('persons')
    .select('photo_url')
    .where('photo_url', 'in', [...urls])
    .execute()
  return rows.flatMap((row) => row.photo_url ?? [])
}

/** Locks a person until the end of the transaction, to change their name or photo. */
export async function lockPerson(db: Db, id: string): Promise<(VersionRow & ProfileValues) | undefined> {
  return control<Tables>(db)
    .selectFrom('persons')
    .select(['version', 'saves', 'user_name as userName', 'photo_url as photoUrl'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The values of a profile that its person can change. */
export type ProfileValues = { userName: string | null; photoUrl: string | null }

export async function updateProfile(
  db: Db,
  id: string,
  { userName, photoUrl }: ProfileValues,
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('persons')
    .set({ user_name: userName, photo_url: photoUrl, ...next })
    .where('id', '=', id)
    .execute()
}

export async function updateLastSignIn(db: Db, id: string, at: Date): Promise<void> {
  await control<Tables>(db).updateTable('persons').set({ last_sign_in_at: at }).where('id', '=', id).execute()
}

/**
 * Finds the person with this email, or adds one without a password, to be invited. Waits for a transaction that is
 * adding the same person. Null for a text that is not an address, and for an address that several persons share.
 */
export async function findOrAddPerson(db: Db, email: string): Promise<Person | null> {
  const read = readEmailAddress(email)
  if (!('key' in read)) return null
  // First without locking the row: a transaction of that person may hold the lock while it waits for this one.
  const known = await selectPerson(db, email)
  if (known) return known
  const { rows } = await sql<Person>`
    INSERT INTO portico.persons (id, email, email_key)
    SELECT ${crypto.randomUUID()}::uuid, ${read.address}, ${read.key}
    WHERE NOT EXISTS (SELECT FROM portico.persons WHERE email_key = ${read.key} AND is_ambiguous)
    -- An update that changes nothing, as only rows that are written are returned.
    ON CONFLICT (email_key) WHERE NOT is_ambiguous DO UPDATE SET email_key = excluded.email_key
    RETURNING id, email, password_hash AS "passwordHash"`.execute(db)
  return rows[0] ?? null
}
