import type { AccountId } from '@portico/contract/identity'
import { type ColumnType, sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'

/** Null for somebody new. */
type Unset<T> = ColumnType<T | null, undefined, T | null>

type PersonTables = {
  persons: {
    id: string
    email: string
    password_hash: string | null
    user_name: string | null
    photo_url: Unset<string>
    password_changed_at: Unset<Date>
    password_is_temporary: ColumnType<boolean, boolean | undefined, boolean>
    last_sign_in_at: Unset<Date>
    two_factor_since: Unset<Date>
  }
  identities: { person_id: string; account_id: AccountId | null; is_disabled: boolean; user_name: string | null }
  accounts: { id: AccountId; name: string }
}

export type Person = { id: string; email: string; passwordHash: string | null }

export type PersonDetails = Person & {
  userName: string | null
  photoUrl: string | null
  passwordChangedAt: Date | null
  /** It was made up, not chosen: it is good for choosing another one. */
  passwordIsTemporary: boolean
  /** Null while two-factor is off. */
  twoFactorSince: Date | null
}

/** Whoever has this e-mail, in whatever letter case. */
export async function selectPerson(db: Db, email: string): Promise<Person | null> {
  const person = await control<PersonTables>(db)
    .selectFrom('persons')
    .select(['id', 'email', 'password_hash as passwordHash'])
    .where(sql<string>`lower(email)`, '=', email.trim().toLowerCase())
    .executeTakeFirst()
  return person ?? null
}

export async function selectPersonById(db: Db, id: string): Promise<PersonDetails | null> {
  const person = await control<PersonTables>(db)
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

/** What accounts call a person who has not chosen a name of their own yet. */
export async function selectGivenName(db: Db, personId: string): Promise<string | null> {
  const found = await control<PersonTables>(db)
    .selectFrom('identities')
    .select('user_name')
    .where('person_id', '=', personId)
    .where('user_name', 'is not', null)
    .orderBy('account_id')
    .limit(1)
    .executeTakeFirst()
  return found?.user_name ?? null
}

/** Where a person has an identity that is not disabled; `account` null stands for all accounts. By name. */
export async function selectPlaces(
  db: Db,
  personId: string,
): Promise<{ account: AccountId | null; name: string | null }[]> {
  return control<PersonTables>(db)
    .selectFrom('identities as i')
    .leftJoin('accounts as a', 'a.id', 'i.account_id')
    .select(['i.account_id as account', 'a.name'])
    .where('i.person_id', '=', personId)
    .where('i.is_disabled', '=', false)
    .orderBy('a.name')
    .execute()
}

/** Answers false, and changes nothing, when somebody has the e-mail already. */
export async function insertPerson(db: Db, person: Person & { passwordIsTemporary?: boolean }): Promise<boolean> {
  const { id, email, passwordHash, passwordIsTemporary = false } = person
  const inserted = await control<PersonTables>(db)
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
  await control<PersonTables>(db)
    .updateTable('persons')
    .set({ password_hash: passwordHash, password_changed_at: at, password_is_temporary: isTemporary })
    .where('id', '=', id)
    .execute()
}

export async function updateUserName(db: Db, id: string, userName: string | null): Promise<void> {
  await control<PersonTables>(db).updateTable('persons').set({ user_name: userName }).where('id', '=', id).execute()
}

export async function updatePhotoUrl(db: Db, id: string, photoUrl: string | null): Promise<void> {
  await control<PersonTables>(db).updateTable('persons').set({ photo_url: photoUrl }).where('id', '=', id).execute()
}

export async function updateLastSignIn(db: Db, id: string, at: Date): Promise<void> {
  await control<PersonTables>(db).updateTable('persons').set({ last_sign_in_at: at }).where('id', '=', id).execute()
}
