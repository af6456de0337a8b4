import { sql } from 'kysely'
import type { Sql } from '#filters'
import type { Db } from '#platform/database.ts'

/** Rows of a pipeline: the values of its `width` columns, in order. */
export async function selectPipelineRows(db: Db, select: Sql, width: number): Promise<unknown[][]> {
  const { rows } = await sql<Record<string, unknown>>`${select}`.execute(db)
  return rows.map((row) => Array.from({ length: width }, (_value, at) => row[`f${at}`] ?? null))
}

/** The number that a query returns as `count`. */
export async function selectCount(db: Db, query: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`${query}`.execute(db)
  return rows[0]?.count ?? 0
}
