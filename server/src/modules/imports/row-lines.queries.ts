import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

/** Rows that do not start on the line after the previous row, in file order, each with its line. */
export type LineJumps = { rows: number[]; lines: number[] }

/** Deletes the records of an earlier attempt. */
export async function deleteRowLines(db: Db, account: AccountId, importId: number): Promise<void> {
  await sql`DELETE FROM ${accountTable(account, 'import_lines')} WHERE import_id = ${importId}`.execute(db)
}

export async function insertRowLines(db: Db, account: AccountId, importId: number, jumps: LineJumps): Promise<void> {
  await sql`
    INSERT INTO ${accountTable(account, 'import_lines')} (import_id, first_row, rows, lines)
    VALUES (${importId}, ${jumps.rows[0]}, ${jumps.rows}, ${jumps.lines})`.execute(db)
}

/** Returns the line on which a row starts; undefined if lines were not recorded. */
export async function selectLineOfRow(
  db: Db,
  account: AccountId,
  importId: number,
  row: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ line: number }>`
    SELECT jump.line + ${row} - jump.row AS line
    FROM (
      SELECT rows, lines FROM ${accountTable(account, 'import_lines')}
      WHERE import_id = ${importId} AND first_row <= ${row}
      ORDER BY first_row DESC LIMIT 1
    ) AS nearest, unnest(nearest.rows, nearest.lines) AS jump (row, line)
    WHERE jump.row <= ${row}
    ORDER BY jump.row DESC LIMIT 1`.execute(db)
  return rows[0]?.line
}
