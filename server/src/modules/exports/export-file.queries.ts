import type { TextDelimiter } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { countRows, type Sql } from '#filters'
import { accountTable, type Db } from '#platform/database.ts'
import { sheetValue } from '#platform/workbook/workbook-cells.ts'
import { delimiters } from './export-format.ts'
import type { ExportSelection } from './export-selection.ts'

const matchedRows = sql.id('pg_temp', 'matched_rows')

/** Counts the rows of an export, and stores them in a temporary table unless the export has all contacts. */
export async function selectMatches(db: Db, account: AccountId, selection: ExportSelection): Promise<number> {
  const { kept, matching, isSorted, isEverything } = selection
  if (isEverything) return countRows(db, account, accountTable(account, 'contacts'), null)
  const names = sql.join(kept.map(({ name }) => sql.id(name)))
  const columns = sql.join(kept.map(({ name, type }) => sql`${sql.id(name)} ${sql.raw(type)}`))
  await sql`CREATE TEMPORARY TABLE matched_rows (${columns}, place bigint) ON COMMIT DROP`.execute(db)
  // Positions are computed and sorted by only if they differ from the order of ids, which an index provides.
  const { numAffectedRows } = await sql`
    INSERT INTO ${matchedRows} (${names}, place)
    SELECT ${names}, ${isSorted ? sql`row_number() OVER ()` : sql`NULL`} FROM (${matching()}) AS matched`.execute(db)
  await sql`ANALYZE ${matchedRows}`.execute(db)
  return Number(numAffectedRows ?? 0)
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
