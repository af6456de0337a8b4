import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { firstReviewId, selectUnendedReviews } from '../review/review.queries.ts'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

/** Selects names of working tables whose import or review has ended. */
export async function selectLeftTables(db: Db, account: AccountId): Promise<string[]> {
  const { rows: working } = await sql<{ name: string; import_id: number }>`
    SELECT tablename AS name, split_part(tablename, '_', 2)::int AS import_id FROM pg_tables
    WHERE schemaname = ${accountSchema(account)} AND tablename ~ '^stage_[0-9]+_'`.execute(db)
  if (working.length === 0) return []
  const { rows: ended } = await sql<{ id: number }>`
    SELECT id FROM ${accountTable(account, 'imports')}
    WHERE status IN ('completed', 'rejected') AND id = ANY (${working.map(({ import_id: id }) => id)}::int[])`.execute(
    db,
  )
  const reviewed = working.map(({ import_id: id }) => id).filter((id) => id >= firstReviewId)
  const unended = new Set(reviewed.length > 0 ? await selectUnendedReviews(db, account, reviewed) : [])
  const ids = new Set([...ended.map(({ id }) => id), ...reviewed.filter((id) => !unended.has(id))])
  return working.filter(({ import_id: id }) => ids.has(id)).map(({ name }) => name)
}

export async function dropLeftTable(db: Db, account: AccountId, name: string): Promise<void> {
  await sql`DROP TABLE IF EXISTS ${accountTable(account, name)}`.execute(db)
}
