import { control, type Db } from '#platform/database.ts'

type SessionTables = { sessions: { id: string; password_given_at: Date } }

/** Null when there is no such session. */
export async function selectPasswordGivenAt(db: Db, sessionId: string): Promise<Date | null> {
  const row = await control<SessionTables>(db)
    .selectFrom('sessions')
    .select('password_given_at')
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row?.password_given_at ?? null
}

export async function updatePasswordGivenAt(db: Db, sessionId: string, at: Date): Promise<void> {
  await control<SessionTables>(db)
    .updateTable('sessions')
    .set({ password_given_at: at })
    .where('id', '=', sessionId)
    .execute()
}
