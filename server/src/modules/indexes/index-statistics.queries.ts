import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { ContactField } from '#contacts'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

/** What the database knows of an index. Size and uses are null where tables are spread by Citus: it knows its own only. */
export type IndexStatistics = { isValid: boolean; sizeBytes: number | null; uses: number | null }

/** Every index of the account, by its physical name. */
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

/** How far an index is that is being built, in the words and figures of PostgreSQL. */
export type BuildProgress = {
  phase: string
  blocksDone: number
  blocksTotal: number
  tuplesDone: number
  tuplesTotal: number
}

/** Indexes that are being built right now, by their physical name. */
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

/** `bytes`: of a row's values on average; `distinct`: the share of rows of the sample that bring a value of their own. */
export type ColumnSample = { rows: number; bytes: number; distinct: number }

/** Counts the rows of the fields' table, and looks at the first `sampleRows` of them. */
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
