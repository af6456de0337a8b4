import { fileDays } from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import type { ExportRow } from './exports.queries.ts'

/** An export with a file, with the size of its filter and its right in bytes. */
type NamingExport = { id: string; bytes: number }
type Judged = Pick<ExportRow, 'id' | 'filter' | 'acts_as'>

/** A right without stages that its filter has too, which may be long. */
const others = sql`(e.acts_as #- '{request,body,aggregateQuery}' #- '{cron,request,body,instruction,aggregateQuery}')`

/** Selects the exports whose files have not expired and whose filter or right matches the pattern, in any letter case. */
export async function selectNamingExports(db: Db, account: AccountId, pattern: string): Promise<NamingExport[]> {
  // OFFSET keeps the text from being written twice for each export.
  const { rows } = await sql<NamingExport>`
    SELECT e.id, 2 * octet_length(written.text) AS bytes FROM ${accountTable(account, 'exports')} AS e
    CROSS JOIN LATERAL (SELECT concat(e.filter, ' ', ${others}::text) AS text OFFSET 0) AS written
    WHERE e.status = 'completed' AND e.file_removed_at IS NULL
      AND coalesce(e.last_activity_at, e.created_at) > ${new Date(Date.now() - fileDays * 86_400_000)}
      AND written.text ~* ${pattern} ORDER BY e.id`.execute(db)
  return rows
}

export async function selectJudged(db: Db, account: AccountId, exports: readonly NamingExport[]): Promise<Judged[]> {
  const { rows } = await sql<Judged>`
    SELECT id, filter, acts_as FROM ${accountTable(account, 'exports')}
    WHERE id = ANY(${sql.val(exports.map(({ id }) => id))}::bigint[]) ORDER BY id`.execute(db)
  return rows
}

export async function updateJudged(db: Db, account: AccountId, { id, filter, acts_as: actsAs }: Judged): Promise<void> {
  await sql`UPDATE ${accountTable(account, 'exports')}
    SET filter = ${filter}, acts_as = ${actsAs && JSON.stringify(actsAs)}::jsonb WHERE id = ${id}`.execute(db)
}
