import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountSchema, type Db } from '#platform/database.ts'
import { inRange, type RowRange, type StagePlan, stageTable } from './stage.queries.ts'

/**
 * The working tables of an import are not logged: a connection opened after a crash of PostgreSQL finds them empty,
 * although the transaction that filled them was committed. Thrown before their content is used; the next attempt fills
 * them again.
 */
export class WorkingTablesLost extends Error {
  constructor() {
    super('The working tables of the import are gone, as after a crash of PostgreSQL.')
    this.name = 'WorkingTablesLost'
  }
}

/**
 * Returns the number of staged rows matched with contacts: all of them, or none (before matching, and after a crash of
 * PostgreSQL).
 */
export async function countMatched(db: Db, account: AccountId, importId: number): Promise<number> {
  const name = `${accountSchema(account)}.stage_${importId}_matched`
  const { rows: found } = await sql<{ found: boolean }>`SELECT to_regclass(${name}) IS NOT NULL AS found`.execute(db)
  return found[0]?.found ? countRows(db, account, importId, 'matched') : 0
}

/** @throws WorkingTablesLost unless each group of columns has all rows of the file */
export async function requireStaged(db: Db, account: AccountId, importId: number, plan: StagePlan): Promise<void> {
  for (const group of plan.groupStarts.keys()) {
    if ((await countRows(db, account, importId, group)) !== plan.rows) throw new WorkingTablesLost()
  }
}

/** @throws WorkingTablesLost unless all rows of the file are matched */
export async function requireMatched(
  db: Db,
  account: AccountId,
  importId: number,
  { rows }: Pick<StagePlan, 'rows'>,
): Promise<void> {
  if ((await countMatched(db, account, importId)) !== rows) throw new WorkingTablesLost()
}

/** The same for a range of rows, for the transaction that loads them. */
export async function requireMatchedRange(
  db: Db,
  account: AccountId,
  importId: number,
  range: RowRange,
): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${stageTable(account, importId, 'matched')}
    WHERE ${inRange(sql`row_no`, range)}`.execute(db)
  if (rows[0]?.count !== range.to - range.from) throw new WorkingTablesLost()
}

async function countRows(db: Db, account: AccountId, importId: number, part: number | 'matched'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${stageTable(account, importId, part)}`.execute(db)
  return rows[0]?.count ?? 0
}
