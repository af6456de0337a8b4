import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'

type PersonTables = {
  persons: { id: string; email: string; password_hash: string | null; user_name: string | null }
}

export type Person = { id: string; email: string; passwordHash: string | null }

/** Whoever has this e-mail, in whatever letter case. */
export async function selectPerson(db: Db, email: string): Promise<Person | null> {
  const person = await control<PersonTables>(db)
    .selectFrom('persons')
    .select(['id', 'email', 'password_hash as passwordHash'])
    .where(sql<string>`lower(email)`, '=', email.trim().toLowerCase())
    .executeTakeFirst()
  return person ?? null
}

/** Answers false, and changes nothing, when somebody has the e-mail already. */
export async function insertPerson(db: Db, person: Person): Promise<boolean> {
  const { id, email, passwordHash } = person
  const inserted = await control<PersonTables>(db)
    .insertInto('persons')
    .values({ id, email, password_hash: passwordHash, user_name: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function updatePasswordHash(db: Db, id: string, passwordHash: string): Promise<void> {
  await control<PersonTables>(db)
    .updateTable('persons')
    .set({ password_hash: passwordHash })
    .where('id', '=', id)
    .execute()
}
