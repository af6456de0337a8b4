import type { ExportDelimiter } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import { countRows } from '#filters'
import type { Db } from '#platform/database.ts'
import { delimiters } from './export-format.ts'
import type { ExportSelection } from './export-selection.ts'

const matchedIds = sql.id('pg_temp', 'matched_ids')

/** Counts the contacts of an export, and remembers them in a temporary table when they aren't all there are. */
export async function selectMatches(db: Db, account: AccountId, selection: ExportSelection): Promise<number> {
  const { pipeline, matching, isEverything } = selection
  if (isEverything) return countRows(db, account, matching.from(), null)
  await sql`CREATE TEMPORARY TABLE matched_ids (id bigint NOT NULL, place bigint) ON COMMIT DROP`.execute(db)
  const { where, orderBy, limit, skip } = pipeline
  const order = orderBy ? sql`${orderBy}, contacts.id` : sql`contacts.id`
  // Places are worked out and sorted by only where they differ from the order of ids, which an index gives.
  const { numAffectedRows } = await sql`
    INSERT INTO ${matchedIds} (id, place)
    SELECT id, ${orderBy ? sql`row_number() OVER ()` : sql`NULL`} FROM (
      SELECT contacts.id FROM ${matching.from()} WHERE ${where ?? sql`TRUE`}
      ORDER BY ${order} LIMIT ${limit}::bigint OFFSET ${skip}
    ) AS matched`.execute(db)
  await sql`ANALYZE ${matchedIds}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Lets the database look at a filter without running it: an expression it cannot read fails here. */
export async function explainMatches(db: Db, _account: AccountId, selection: ExportSelection): Promise<void> {
  const { pipeline, matching } = selection
  await sql`EXPLAIN SELECT contacts.id FROM ${matching.from()} WHERE ${pipeline.where ?? sql`TRUE`}`.execute(db)
}

/** The COPY statement that sends an export's rows as CSV. It takes no parameters, and holds nothing a user wrote. */
export function copyStatement(db: Db, selection: ExportSelection, delimiter: ExportDelimiter): string {
  const columns = selection.fields.map((field) => field.sql)
  const matched = selection.isEverything ? sql`` : sql`JOIN ${matchedIds} AS matched ON matched.id = contacts.id`
  const order = selection.pipeline.orderBy ? sql`matched.place` : sql`contacts.id`
  const { sql: text, parameters } = sql`
    COPY (SELECT ${sql.join(columns)} FROM ${selection.written.from()} ${matched} ORDER BY ${order})
    TO STDOUT (FORMAT csv, DELIMITER ${sql.lit(delimiters[delimiter])})`.compile(db)
  if (parameters.length > 0) throw new Error('COPY takes no parameters')
  return text
}
