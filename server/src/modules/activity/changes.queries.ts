import type { ChangedList, ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

/** What tells that something in the list has happened, beside its entries coming and going. */
const moving: Record<ChangedList, string[]> = {
  imports: ['status', 'phase', 'phase_progress', 'processed_records', 'purl_status', 'last_activity_at'],
  exports: ['status', 'processed_records', 'total_records', 'last_activity_at'],
  deletes: ['status', 'processed_records'],
}

/** Entries that may still move; older ones have ended long ago. */
const looksAt = 100

/** For each list a text that is another one whenever something in it is. One round trip, some hundred short rows read. */
export async function selectChangeMarks(db: Db, account: AccountId): Promise<Required<ChangeMarks>> {
  const lists = (Object.keys(moving) as ChangedList[]).map((list) => {
    const columns = sql.join(moving[list].map((column) => sql.ref(column)))
    const latest = sql`(SELECT * FROM ${accountTable(account, list)} ORDER BY id DESC LIMIT ${looksAt}) latest`
    return sql`(SELECT md5(coalesce(string_agg(ROW(id, ${columns})::text, ' ' ORDER BY id), ''))
      FROM ${latest}) AS ${sql.ref(list)}`
  })
  const { rows } = await sql<Required<ChangeMarks>>`SELECT ${sql.join(lists)}`.execute(db)
  // Without a FROM there is one row.
  return rows[0]!
}
