import type { ChangedList, ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/identity'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

/** `delivers`: what its end is told by, or its file handed on by, are deliveries of this kind of subject. */
type Moving = { table: string; columns: string[]; delivers?: 'export' }

/** The tables that a list shows, and what tells that something there has happened, beside entries coming and going. */
const moving: Record<ChangedList, Moving[]> = {
  imports: [
    {
      table: 'imports',
      columns: ['status', 'phase', 'phase_progress', 'processed_records', 'purl_status', 'last_activity_at'],
    },
  ],
  exports: [
    {
      table: 'exports',
      columns: ['status', 'processed_records', 'total_records', 'last_activity_at'],
      delivers: 'export',
    },
  ],
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

function markOf(account: AccountId, { table, columns, delivers }: Moving): RawBuilder<unknown> {
  const own = columns.map((column) => sql.ref(column))
  const names = sql.join(delivers ? [...own, deliveriesOf(account, delivers)] : own)
  const latest = sql`(SELECT * FROM ${accountTable(account, table)} ORDER BY id DESC LIMIT ${looksAt}) latest`
  return sql`(SELECT md5(coalesce(string_agg(ROW(id, ${names})::text, ' ' ORDER BY id), '')) FROM ${latest})`
}

/** How the deliveries of an entry of `latest` go. */
function deliveriesOf(account: AccountId, kind: 'export'): RawBuilder<unknown> {
  const state = sql`ROW(d.position, d.status, d.recovery_count, d.attempt_count, d.next_attempt_at)::text`
  return sql`(SELECT string_agg(${state}, ' ' ORDER BY d.position) FROM ${accountTable(account, 'deliveries')} AS d
    WHERE d.subject_kind = ${kind} AND d.subject_id = latest.id)`
}
