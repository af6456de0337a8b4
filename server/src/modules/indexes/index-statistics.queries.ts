import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { ContactField } from '#contacts'
import { selectFromAccountServer } from '#platform/citus/citus.ts'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

/** Statistics of an index. Size and uses are null if the server that stores the account cannot be asked. */
export type IndexStatistics = { isValid: boolean; sizeBytes: number | null; uses: number | null }

/** Returns the statistics of the indexes of these tables, by physical name. */
export async function selectStatistics(
  db: Db,
  account: AccountId,
  tables: readonly string[],
): Promise<Map<string, IndexStatistics>> {
  const { rows } = await sql<{ name: string; isValid: boolean }>`
    SELECT c.relname AS name, i.indisvalid AS "isValid"
    FROM unnest(${sql.val(tables)}::text[]) AS t (name)
    JOIN pg_index AS i ON i.indrelid = to_regclass(${accountSchema(account)} || '.' || quote_ident(t.name))
    JOIN pg_class AS c ON c.oid = i.indexrelid`.execute(db)
  const figures = await selectFigures(db, account, tables)
  // An index of which its server knows nothing is about to be built there.
  const otherwise = figures ? { sizeBytes: 0, uses: 0 } : { sizeBytes: null, uses: null }
  return new Map(rows.map(({ name, isValid }) => [name, { isValid, ...(figures?.get(name) ?? otherwise) }]))
}

type Figures = Omit<IndexStatistics, 'isValid'>

async function selectFigures(
  db: Db,
  account: AccountId,
  names: readonly string[],
): Promise<Map<string, Figures> | null> {
  const rows = await selectFromAccountServer(
    db,
    account,
    names,
    (tables) => sql<Figures & { name: string }>`
      SELECT left(c.relname, length(c.relname) - length(t.suffix)) AS name,
        pg_relation_size(c.oid)::float8 AS "sizeBytes", pg_stat_get_numscans(c.oid)::float8 AS uses
      FROM ${tables} AS t
      JOIN pg_index AS i ON i.indrelid = t.oid
      JOIN pg_class AS c ON c.oid = i.indexrelid`,
  )
  return rows && new Map(rows.map(({ name, ...figures }) => [name, figures]))
}

/** Progress of an index build, as PostgreSQL reports it. */
export type BuildProgress = {
  phase: string
  blocksDone: number
  blocksTotal: number
  tuplesDone: number
  tuplesTotal: number
}

/**
 * Returns the progress of running index builds of these tables, by physical name; of none if the account's server cannot be
 * asked.
 */
export async function selectBuildProgress(
  db: Db,
  account: AccountId,
  names: readonly string[],
): Promise<Map<string, BuildProgress>> {
  const rows = await selectFromAccountServer(
    db,
    account,
    names,
    (tables) => sql<BuildProgress & { name: string }>`
      SELECT left(c.relname, length(c.relname) - length(t.suffix)) AS name, p.phase,
        p.blocks_done::float8 AS "blocksDone", p.blocks_total::float8 AS "blocksTotal",
        p.tuples_done::float8 AS "tuplesDone", p.tuples_total::float8 AS "tuplesTotal"
      FROM ${tables} AS t
      JOIN pg_stat_progress_create_index AS p ON p.relid = t.oid AND p.datname = current_database()
      JOIN pg_class AS c ON c.oid = p.index_relid`,
  )
  return new Map(rows?.map(({ name, ...progress }) => [name, progress]))
}

/** `bytes`: average size of a row's values; `distinct`: distinct values per row of the sample, 0 to 1. */
export type ColumnSample = { rows: number; bytes: number; distinct: number }

/** Counts the rows of the fields' table, and samples the first `sampleRows` of them. */
export async function selectColumnSample(
  db: Db,
  account: AccountId,
  fields: readonly ContactField[],
  sampleRows: number,
): Promise<ColumnSample> {
  const table = accountTable(account, fields[0]?.table ?? '')
  const columns = fields.map(({ column }) => sql.id(column))
  const bytes = columns.map((column) => sql`coalesce(pg_column_size(${column}), 0)`)
  const { rows } = await sql<ColumnSample>`
    SELECT (SELECT count(*)::float8 FROM ${table}) AS rows, coalesce(avg(${sql.join(bytes, sql` + `)}), 0)::float8 AS bytes,
      coalesce(count(DISTINCT (${sql.join(columns)}))::float8 / nullif(count(*), 0), 0) AS distinct
    FROM (SELECT ${sql.join(columns)} FROM ${table} LIMIT ${sampleRows}) AS sample`.execute(db)
  return rows[0] ?? { rows: 0, bytes: 0, distinct: 0 }
}
