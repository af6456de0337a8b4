import type pg from 'pg'
import { inject } from 'vitest'

/** The message of a coordinator that cannot reach the server of an account. */
export const coordinatorMessage =
  'connection to the remote node portico_role@10.9.8.7:5433 failed with the following error: Connection refused'

/**
 * Makes the statements of one account fail like in a cluster while the account's server is down. `comeBack` undoes it.
 * On a cluster, its worker is lost, with all accounts on it.
 */
export function loseServer(pool: pg.Pool, account: number): Promise<{ comeBack: () => Promise<void> }> {
  return inject('testServer').nodes.length > 1 ? loseWorker(pool, account) : refuseRows(pool, account)
}

/** Lets the coordinator look for the account's worker at a port without a listener. */
async function loseWorker(pool: pg.Pool, account: number): Promise<{ comeBack: () => Promise<void> }> {
  const { rows } = await pool.query<{ id: number; port: number }>(
    `SELECT nodeid AS id, nodeport AS port FROM pg_dist_node
     WHERE groupid = (SELECT groupid FROM pg_dist_placement JOIN pg_dist_shard USING (shardid)
       WHERE logicalrelid = 'account_${account}.migrations'::regclass)`,
  )
  const [worker] = rows
  if (!worker) throw new Error(`account ${account} is on no worker`)
  const moveTo = async (port: number): Promise<void> =>
    void (await pool.query('UPDATE pg_dist_node SET nodeport = $1 WHERE nodeid = $2', [port, worker.id]))
  await moveTo(1)
  return { comeBack: () => moveTo(worker.port) }
}

/** Raises the coordinator's error by a row security policy of the account's tables, which superusers would bypass. */
async function refuseRows(pool: pg.Pool, account: number): Promise<{ comeBack: () => Promise<void> }> {
  const schema = `account_${account}`
  const { rows } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  )
  const onEach = (statements: (table: string) => string[]) =>
    rows.flatMap(({ name }) => statements(`${schema}.${name}`))
  await runTogether(pool, [
    `CREATE FUNCTION ${schema}.reached() RETURNS boolean LANGUAGE plpgsql STABLE AS
     $$ BEGIN RAISE EXCEPTION '${coordinatorMessage}' USING ERRCODE = '08006'; END $$`,
    ...onEach((table) => [
      `CREATE POLICY away ON ${table} USING (${schema}.reached())`,
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
      `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    ]),
  ])
  return {
    async comeBack() {
      await runTogether(pool, [
        ...onEach((table) => [
          `DROP POLICY away ON ${table}`,
          `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`,
          `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`,
        ]),
        `DROP FUNCTION ${schema}.reached()`,
      ])
    },
  }
}

async function runTogether(pool: pg.Pool, statements: string[]): Promise<void> {
  await pool.query(['BEGIN', ...statements, 'COMMIT'].join(';\n'))
}
