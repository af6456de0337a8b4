import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { ContactField } from '#contacts'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

/** Statistics of an index. Size and uses are null with Citus, where a node knows only its own share. */
export type IndexStatistics = { isValid: boolean; sizeBytes: number | null; uses: number | null }

/** Returns the statistics of every index of the account, by physical name. */
export async function selectStatistics(db: Db, account: AccountId): Promise<Map<string, IndexStatistics>> {
  const { rows } = await sql<IndexStatistics & { name: string }>`
    SELECT c.relname AS name, i.indisvalid AS "isValid",
      CASE WHEN citus.is_there THEN NULL ELSE pg_relation_size(c.oid)::float8 END AS "sizeBytes",
      CASE WHEN citus.is_there THEN NULL ELSE s.idx_scan::float8 END AS uses
    FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    CROSS JOIN (SELECT count(*) > 0 AS is_there FROM pg_extension WHERE extname = 'citus') AS citus
    LEFT JOIN pg_stat_user_indexes AS s ON s.indexrelid = c.oid
    WHERE n.nspname = ${accountSchema(account)}`.execute(db)
  return new Map(rows.map(({ name, ...statistics }) => [name, statistics]))
}

/** Progress of an index build, as PostgreSQL reports it. */
export type BuildProgress = {
  phase: string
  blocksDone: number
  blocksTotal: number
  tuplesDone: number
  tuplesTotal: number
}

/** Returns the progress of running index builds, by physical name. */
export async function selectBuildProgress(db: Db, account: AccountId): Promise<Map<string, BuildProgress>> {
  const { rows } = await sql<BuildProgress & { name: string }>`
    SELECT c.relname AS name, p.phase, p.blocks_done::float8 AS "blocksDone", p.blocks_total::float8 AS "blocksTotal",
      p.tuples_done::float8 AS "tuplesDone", p.tuples_total::float8 AS "tuplesTotal"
    FROM pg_stat_progress_create_index AS p
    JOIN pg_class AS c ON c.oid = p.index_relid
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ${accountSchema(account)}`.execute(db)
  return new Map(rows.map(({ name, ...progress }) => [name, progress]))
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
