import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

export type Person = { id: string; email: string; passwordHash: string | null }

export type PersonDetails = Person & {
  userName: string | null
  photoUrl: string | null
  passwordChangedAt: Date | null
  /** Generated, so it can only be used to choose another one. */
  passwordIsTemporary: boolean
  /** Null while two-factor is off. */
  twoFactorSince: Date | null
}

/** Finds a person by email, ignoring letter case. */
export async function selectPerson(db: Db, email: string): Promise<Person | null> {
  const person = await control<Tables>(db)
    .selectFrom('persons')
    .select(['id', 'email', 'password_hash as passwordHash'])
    .where(sql<string>`lower(email)`, '=', email.trim().toLowerCase())
    .executeTakeFirst()
  return person ?? null
}

export async function selectPersonById(db: Db, id: string): Promise<PersonDetails | null> {
  const person = await control<Tables>(db)
    .selectFrom('persons')
    .select([
      'id',
      'email',
      'password_hash as passwordHash',
      'user_name as userName',
      'photo_url as photoUrl',
      'password_changed_at as passwordChangedAt',
      'password_is_temporary as passwordIsTemporary',
      'two_factor_since as twoFactorSince',
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  return person ?? null
}

/** Returns false, and changes nothing, when the email is taken. */
export async function insertPerson(db: Db, person: Person & { passwordIsTemporary?: boolean }): Promise<boolean> {
  const { id, email, passwordHash, passwordIsTemporary = false } = person
  const inserted = await control<Tables>(db)
    .insertInto('persons')
    .values({
      id,
      email,
      password_hash: passwordHash,
      password_is_temporary: passwordIsTemporary,
      user_name: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
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

/** Those of the URLs that are the photo of a person. */
export async function selectPhotoUrls(db: Db, urls: readonly string[]): Promise<string[]> {
  const rows = await control<Tables>(db)
    .selectFrom('persons')
    .select('photo_url')
    .where('photo_url', 'in', [...urls])
    .execute()
  return rows.flatMap((row) => row.photo_url ?? [])
}

export async function updatePhotoUrl(db: Db, id: string, photoUrl: string | null): Promise<void> {
  await control<Tables>(db).updateTable('persons').set({ photo_url: photoUrl }).where('id', '=', id).execute()
}

export async function updateLastSignIn(db: Db, id: string, at: Date): Promise<void> {
  await control<Tables>(db).updateTable('persons').set({ last_sign_in_at: at }).where('id', '=', id).execute()
}

/** Finds the person with this email, or adds one without a password, to be invited. */
export async function findOrAddPerson(
  db: Db,
  email: string,
): Promise<{ id: string; email: string; hasPassword: boolean }> {
  const known = await selectPerson(db, email)
  if (known) return { id: known.id, email: known.email, hasPassword: known.passwordHash !== null }
  const person = { id: crypto.randomUUID(), email: email.trim(), passwordHash: null }
  // Another transaction may have added the same person a moment ago.
  if (!(await insertPerson(db, person))) return findOrAddPerson(db, email)
  return { id: person.id, email: person.email, hasPassword: false }
}
