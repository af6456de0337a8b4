import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountSchema, type Db } from '../database.ts'

const known = new WeakMap<object, Promise<boolean>>()

/**
 * Returns whether the database is a Citus coordinator, which spreads the account schemas over several servers (ADR
 * 0071). Cached for each pool of connections.
 */
export function isOnCitus(db: Db): Promise<boolean> {
  // Transactions share the adapter of their pool, so the adapter is the cache key.
  const { adapter } = db.getExecutor()
  const found =
    known.get(adapter) ??
    lookUp(db).catch((error: unknown) => {
      known.delete(adapter)
      throw error
    })
  known.set(adapter, found)
  return found
}

async function lookUp(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM pg_extension WHERE extname = 'citus'`.execute(db)
  return rows.length > 0
}

/**
 * Reads the catalog and statistics of the server that stores an account's tables: with Citus a worker, where the names
 * of tables and indexes have a suffix. Returns null if that server cannot be queried.
 * @param tables names of tables. They must be listed because PostgreSQL would find those of a schema by reading the
 * names
 *   of all accounts' tables
 * @param query gets those that exist as a subquery of `oid`, `name` (without the suffix) and `suffix`, which the names
 *   of their indexes share. It takes no parameters, and returns only values that JSON can represent
 */
export async function selectFromAccountServer<Row>(
  db: Db,
  account: AccountId,
  tables: readonly string[],
  query: (tables: RawBuilder<unknown>) => RawBuilder<Row>,
): Promise<Row[] | null> {
  const schema = sql`${sql.lit(accountSchema(account))}::regnamespace`
  const names = sql.join(tables.map((table) => sql.lit(table)))
  if (!(await isOnCitus(db))) return (await query(ownTables(schema, names)).execute(db)).rows
  const asked = sql`SELECT coalesce(json_agg(rows), '[]') FROM (${query(shards(schema, names))}) AS rows`.compile(db)
  if (asked.parameters.length > 0) throw new Error('a query of another server takes no parameters')
  // All tables of an account are on the same server. Citus formats the command: it would insert the name of the shard.
  const { rows } = await sql<{ success: boolean; result: string }>`
    SELECT success, result FROM run_command_on_placements(
      ${sql.lit(`${accountSchema(account)}.migrations`)}::regclass, ${asked.sql.replaceAll('%', '%%')}::text)`.execute(
    db,
  )
  const [answer] = rows
  return answer?.success ? (JSON.parse(answer.result) as Row[]) : null
}

const ownTables = (schema: RawBuilder<unknown>, names: RawBuilder<unknown>) => sql`
  (SELECT oid, relname::text AS name, ''::text AS suffix FROM pg_class
  WHERE relnamespace = ${schema} AND relname IN (${names}) AND relkind = 'r')`

const shards = (schema: RawBuilder<unknown>, names: RawBuilder<unknown>) => sql`
  (SELECT shard.oid, listed.relname::text AS name, '_' || placed.shardid::text AS suffix
  FROM pg_class AS listed JOIN pg_dist_shard AS placed ON placed.logicalrelid = listed.oid
  JOIN pg_class AS shard ON shard.relnamespace = ${schema}
    AND shard.relname = (listed.relname::text || '_' || placed.shardid::text)::name
  WHERE listed.relnamespace = ${schema} AND listed.relname IN (${names}))`
