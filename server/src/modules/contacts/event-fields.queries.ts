import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

/** The names of the details that applications have recorded with events, sorted. */
export async function selectEventFields(db: Db, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${accountTable(account, 'event_fields')} ORDER BY lower(name), name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Inserts names of details; known ones stay. */
export async function insertEventFields(db: Db, account: AccountId, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  // In the same order everywhere, which avoids deadlocks.
  await sql`
    INSERT INTO ${accountTable(account, 'event_fields')} (name)
    SELECT name FROM unnest(${sql.val(names)}::text[]) AS named (name) ORDER BY name
    ON CONFLICT (name) DO NOTHING`.execute(db)
}
