import type { TextDelimiter } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { countRows, type Sql } from '#filters'
import { accountTable, type Db } from '#platform/database.ts'
import { JobRefused } from '#platform/jobs/job-runs.ts'
import { sheetValue } from '#platform/workbook/workbook-cells.ts'
import { delimiters } from './export-format.ts'
import { shareWorkMemory } from '#platform/work-memory.ts'
import type { ExportSelection } from './export-selection.ts'

const matchedRows = sql.id('pg_temp', 'matched_rows')

/** Maximum bytes of the stored values of an export. */
export const mostKeptBytes = 16 * 1024 ** 3

const tooMuchToKeep = 'The rows of this export are too large together. Ask for fewer fields or fewer groups.'

/**
 * Counts the rows of an export, and stores them in a temporary table unless the export has all contacts. Such a table
 * does not count against `temp_file_limit`, so its values have a limit of their own: a quarter of that one, and `most`
 * bytes (ADR 0166).
 * @throws JobRefused beyond it
 */
export async function selectMatches(
  db: Db,
  account: AccountId,
  selection: ExportSelection,
  most = mostKeptBytes,
): Promise<number> {
  const { kept, keptBytes, matching, isSorted, isEverything } = selection
  if (isEverything) return countRows(db, account, accountTable(account, 'contacts'), null)
  const names = sql.join(kept.map(({ name }) => sql.id(name)))
  const columns = sql.join(kept.map(({ name, type }) => sql`${sql.id(name)} ${sql.raw(type)}`))
  await sql`CREATE TEMPORARY TABLE matched_rows (${columns}, place bigint) ON COMMIT DROP`.execute(db)
  // Positions are computed and sorted by only if they differ from the order of ids, which an index provides.
  await shareWorkMemory(db, selection.areas, true)
  const place = keptBytes ? placeWithin(keptBytes, await keptLimit(db, most)) : sql`row_number() OVER kept`
  const { numAffectedRows } = await sql`
    INSERT INTO ${matchedRows} (${names}, place)
    SELECT ${names}, ${isSorted ? place : sql`NULL`} FROM (${matching()}) AS matched
    WINDOW kept AS (ROWS UNBOUNDED PRECEDING)`
    .execute(db)
    .catch((error: unknown) => {
      throw String(error).includes(tooMuchToKeep) ? new JobRefused(tooMuchToKeep) : error
    })
  await sql`ANALYZE ${matchedRows}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** The bytes that an export may store. `temp_file_limit` is in kB, or -1 for none. */
async function keptLimit(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ limit: number }>`
    SELECT setting::float8 * 1024 AS "limit" FROM pg_settings WHERE name = 'temp_file_limit'`.execute(db)
  const limit = rows[0]?.limit ?? -1
  return limit < 0 ? most : Math.min(most, limit / 4)
}

/**
 * The position of a row. The first one beyond the limit ends the statement: the cast fails with an error that quotes the
 * message, which has a value of the row in it, as PostgreSQL would evaluate a constant at once.
 */
function placeWithin(bytes: Sql, limit: number): Sql {
  const sum = sql`sum(${bytes}) OVER kept`
  return sql`CASE WHEN ${sum} <= ${limit}::float8 THEN row_number() OVER kept
    ELSE (${tooMuchToKeep}::text || left((${sum})::text, 0))::bigint END`
}

/**
 * Plans a filter without running it; throws if the database cannot read an expression. EXPLAIN is not used, since with
 * Citus it does not report errors of the other server.
 */
export async function planMatches(db: Db, _account: AccountId, selection: ExportSelection): Promise<void> {
  await sql`SELECT FROM (${selection.matching()}) AS matched LIMIT 0`.execute(db)
}

/**
 * Returns the COPY statement that sends an export's rows as text. It takes no parameters and contains no user input.
 */
export function copyStatement(db: Db, selection: ExportSelection, delimiter: TextDelimiter): string {
  const cells = sql.join(selection.fields.map((field) => field.sql))
  return copyOf(db, selection, cells, sql`(FORMAT csv, DELIMITER ${sql.lit(delimiters[delimiter])})`)
}

/** The same for the rows of a sheet, with moments in `timeZone`. */
export function copySheetStatement(db: Db, selection: ExportSelection, timeZone: string): string {
  const cells = sql.join(selection.fields.map(({ type, sql: value }) => sheetValue({ type, value }, timeZone)))
  return copyOf(db, selection, cells, sql`(FORMAT text)`)
}

function copyOf(db: Db, { isSorted, written }: ExportSelection, cells: Sql, options: Sql): string {
  const order = isSorted ? sql`matched.place` : sql`contacts.id`
  const { sql: text, parameters } = sql`
    COPY (SELECT ${cells} FROM ${written(sql`${matchedRows} AS matched`)} ORDER BY ${order})
    TO STDOUT ${options}`.compile(db)
  if (parameters.length > 0) throw new Error('COPY takes no parameters')
  return text
}
