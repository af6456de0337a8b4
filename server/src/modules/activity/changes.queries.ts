import type { ChangedList, ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/identity'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

type Moving = { table: string; columns: string[] }

/** The tables that a list shows, and what tells that something there has happened, beside entries coming and going. */
const moving: Record<ChangedList, Moving[]> = {
  imports: [
    {
      table: 'imports',
      columns: ['status', 'phase', 'phase_progress', 'processed_records', 'purl_status', 'last_activity_at'],
    },
  ],
  exports: [{ table: 'exports', columns: ['status', 'processed_records', 'total_records', 'last_activity_at'] }],
  deletes: [{ table: 'deletes', columns: ['status', 'processed_records'] }],
  downloads: [
    { table: 'exports', columns: ['status', 'file_removed_at'] },
    { table: 'imports', columns: ['status', 'report_removed_at'] },
  ],
}

/** Entries that may still move; older ones have ended long ago. */
const looksAt = 100

/** For each list a text that is another one whenever something in it is. One round trip, some hundred short rows read. */
export async function selectChangeMarks(db: Db, account: AccountId): Promise<Required<ChangeMarks>> {
  const lists = (Object.keys(moving) as ChangedList[]).map((list) => {
    const marks = moving[list].map((one) => markOf(account, one))
    return sql`concat(${sql.join(marks)}) AS ${sql.ref(list)}`
  })
  const { rows } = await sql<Required<ChangeMarks>>`SELECT ${sql.join(lists)}`.execute(db)
  // Without a FROM there is one row.
  return rows[0]!
}

function markOf(account: AccountId, { table, columns }: Moving): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const latest = sql`(SELECT * FROM ${accountTable(account, table)} ORDER BY id DESC LIMIT ${looksAt}) latest`
  return sql`(SELECT md5(coalesce(string_agg(ROW(id, ${names})::text, ' ' ORDER BY id), '')) FROM ${latest})`
}
