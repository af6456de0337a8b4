import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { isOnCitus } from '#platform/citus/citus.ts'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'
import { columnType } from '#contacts'
import type { PlannedMisfits } from '../import-plan.ts'

/** How a file is staged: its columns, some of them typed, and the positions at which a new table starts. */
export type StagePlan = {
  rows: number
  fileColumns: number
  columns: readonly { position: number; field: { type: FieldType } }[]
  groupStarts: readonly number[]
  skipsEmptyRows?: true
  misfits?: PlannedMisfits
}

/**
 * Working tables of one import, dropped when it ends.
 *   stage_<import>_<group>   rows of the file, typed; a wide file has several groups of columns
 *   stage_<import>_slices    slices of the file that are staged
 *   stage_<import>_keys      dedup hash, PURL base and coordinates of each row
 *   stage_<import>_matched   contact of each row, and the PURL number it gets
 * PostgreSQL alone has them unlogged, and adds primary keys when they are full, in a tenth of the time of maintaining
 * them. If it crashes, they all come back empty: each step compares them with the plan (`working-tables.queries.ts`),
 * and the file is staged again. With Citus they are logged and have their keys from the start: only such tables can be
 * moved to another server with their account (ADR 0071).
 */
export function stageTable(account: AccountId, importId: number, part: number | 'slices' | 'keys' | 'matched') {
  return accountTable(account, `stage_${importId}_${part}`)
}

/** Column of a staging table for the file's column at this position. */
function stageColumn(position: number): RawBuilder<unknown> {
  return sql.id(`s${position}`)
}

/** Group (staging table) that holds the file's column at this position. */
function groupOf(plan: StagePlan, position: number): number {
  return plan.groupStarts.findLastIndex((start) => start <= position)
}

/** The staged value of a column, qualified by its group's alias `g0`, `g1`, … */
export function stagedValue(plan: StagePlan, position: number): RawBuilder<unknown> {
  return sql`${sql.id(`g${groupOf(plan, position)}`)}.${stageColumn(position)}`
}

/** `stage_0 g0 JOIN stage_1 g1 …`, for just the groups that hold the given columns; `g0` is always included. */
export function stagedRows(
  account: AccountId,
  importId: number,
  plan: StagePlan,
  positions: readonly number[],
): RawBuilder<unknown> {
  const groups = [...new Set(positions.map((position) => groupOf(plan, position)))].filter((group) => group > 0)
  const joins = groups.map(
    (group) =>
      sql`JOIN ${stageTable(account, importId, group)} AS ${sql.id(`g${group}`)} ON ${sql.id(`g${group}`)}.row_no = g0.row_no`,
  )
  return sql`${stageTable(account, importId, 0)} AS g0 ${sql.join(joins, sql` `)}`
}

export async function createStage(db: Db, account: AccountId, importId: number, plan: StagePlan): Promise<void> {
  const types = new Map(plan.columns.map(({ position, field }) => [position, field.type]))
  const isMovable = await isOnCitus(db)
  const create = isMovable ? sql`CREATE TABLE` : sql`CREATE UNLOGGED TABLE`
  for (const [group, start] of plan.groupStarts.entries()) {
    const end = plan.groupStarts[group + 1] ?? plan.fileColumns
    const columns = Array.from({ length: end - start }, (_, offset) => {
      // A column that is left out is staged as text and dropped with the table.
      const type: FieldType = types.get(start + offset) ?? 'string'
      return sql`, ${stageColumn(start + offset)} ${columnType(type)}`
    })
    await sql`${create} IF NOT EXISTS ${stageTable(account, importId, group)}
      (row_no bigint ${isMovable ? sql`PRIMARY KEY` : sql`NOT NULL`}${sql.join(columns, sql``)})`.execute(db)
  }
  await sql`${create} IF NOT EXISTS ${stageTable(account, importId, 'slices')}
    (slice integer PRIMARY KEY)`.execute(db)
}

/**
 * The content of a working table: its columns with their types, except the key `row_no`, and the query of its rows.
 * `isImmutable`: all functions of the query are immutable, and a server of Citus can insert its own rows.
 */
export type WorkingRows = { columns: Record<string, string>; rows: RawBuilder<unknown>; isImmutable: boolean }

/** Creates a working table with the rows of a query, replacing one left by an earlier attempt. */
export async function createFilled(
  db: Db,
  account: AccountId,
  importId: number,
  part: 'keys' | 'matched',
  { columns, rows, isImmutable }: WorkingRows,
): Promise<void> {
  const table = stageTable(account, importId, part)
  await sql`DROP TABLE IF EXISTS ${table}`.execute(db)
  if (!(await isOnCitus(db))) {
    await sql`CREATE UNLOGGED TABLE ${table} AS ${rows}`.execute(db)
    return
  }
  const typed = Object.entries({ row_no: 'bigint', ...columns }).map(
    ([name, type]) => sql`${sql.id(name)} ${sql.raw(type)}`,
  )
  const names = sql.join(['row_no', ...Object.keys(columns)].map((name) => sql.id(name)))
  await sql`CREATE TABLE ${table} (${sql.join(typed)}, PRIMARY KEY (row_no))`.execute(db)
  // Through the coordinator, row by row, if the account's own server cannot insert them.
  await (
    isImmutable
      ? sql`INSERT INTO ${table} (${names}) ${rows}`
      : sql`WITH filled AS MATERIALIZED (${rows}) INSERT INTO ${table} (${names}) SELECT ${names} FROM filled`
  ).execute(db)
}

export async function dropStage(db: Db, account: AccountId, importId: number, plan: StagePlan): Promise<void> {
  const parts = [...plan.groupStarts.keys(), 'slices', 'keys', 'matched'] as const
  for (const part of parts) await sql`DROP TABLE IF EXISTS ${stageTable(account, importId, part)}`.execute(db)
}

export async function selectSlices(db: Db, account: AccountId, importId: number): Promise<Set<number>> {
  const { rows } = await sql<{ slice: number }>`
    SELECT slice FROM ${stageTable(account, importId, 'slices')}`.execute(db)
  return new Set(rows.map(({ slice }) => slice))
}

/** The COPY statement for one group. The bytes come from the scanner, with the row number before each record. */
export function copyIntoStage(
  account: AccountId,
  importId: number,
  plan: StagePlan,
  group: number,
  delimiter: string,
): RawBuilder<unknown> {
  const start = plan.groupStarts[group] ?? 0
  const end = plan.groupStarts[group + 1] ?? plan.fileColumns
  const columns = Array.from({ length: end - start }, (_, offset) => stageColumn(start + offset))
  return copyStatement(stageTable(account, importId, group), [sql.id('row_no')], columns, delimiter)
}

/** Quoted empty cells count as empty too: a field without a value is absent. */
export function copyStatement(
  table: RawBuilder<unknown>,
  leading: readonly RawBuilder<unknown>[],
  columns: readonly RawBuilder<unknown>[],
  delimiter: string,
): RawBuilder<unknown> {
  return sql`COPY ${table} (${sql.join([...leading, ...columns])}) FROM STDIN
    (FORMAT csv, DELIMITER ${sql.lit(delimiter)}, FORCE_NULL (${sql.join(columns)}))`
}

/** Rows [from, to) of the file. */
export type RowRange = { from: number; to: number }

export const inRange = (column: RawBuilder<unknown>, { from, to }: RowRange) =>
  sql`${column} >= ${from} AND ${column} < ${to}`

export async function insertSlice(db: Db, account: AccountId, importId: number, slice: number): Promise<void> {
  await sql`INSERT INTO ${stageTable(account, importId, 'slices')} (slice) VALUES (${slice})`.execute(db)
}

/** Deletes rows of a slice that a dead worker left in one of the further groups of a wide file. */
export async function deleteStaged(
  db: Db,
  account: AccountId,
  importId: number,
  group: number,
  range: RowRange,
): Promise<void> {
  await sql`DELETE FROM ${stageTable(account, importId, group)} WHERE ${inRange(sql`row_no`, range)}`.execute(db)
}

/** Adds the primary keys of the staging tables, once all rows are there. Safe to repeat. */
export async function indexStage(db: Db, account: AccountId, importId: number, plan: StagePlan): Promise<void> {
  for (const group of plan.groupStarts.keys()) await addKey(db, account, importId, group)
}

/** Makes the row number the primary key of a working table, if it is not yet. */
export async function addKey(
  db: Db,
  account: AccountId,
  importId: number,
  part: Parameters<typeof stageTable>[2],
): Promise<void> {
  const name = `${accountSchema(account)}.stage_${importId}_${part}`
  const { rows } = await sql<{ keyed: boolean }>`
    SELECT EXISTS (SELECT FROM pg_index WHERE indrelid = to_regclass(${name}) AND indisprimary) AS keyed`.execute(db)
  if (rows[0]?.keyed) return
  await sql`ALTER TABLE ${stageTable(account, importId, part)} ADD PRIMARY KEY (row_no)`.execute(db)
}
