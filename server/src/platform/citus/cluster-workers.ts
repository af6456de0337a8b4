import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { type Db, setLocally } from '../database.ts'

/**
 * A server of a Citus cluster that stores accounts. `id` is its `nodeid` in `pg_dist_node`, which reveals no host name.
 */
type ClusterWorker = { id: number; isUp: boolean }

export type ClusterWorkers = {
  /**
   * Returns the workers as of the last check, which is a few seconds old at most if all respond; none without Citus.
   * Waits half a second for a new check: a worker that has not responded by then keeps its last known state.
   */
  latest: () => Promise<ClusterWorker[]>
}

const checkEveryMs = 5000
const mostWaitMs = 500
const checkTimeoutMs = 10_000

type Node = { id: number; host: string; port: number }

/** Checks on demand whether the coordinator reaches its workers, at most every five seconds. */
export function watchClusterWorkers(pool: pg.Pool): ClusterWorkers {
  let known = new Map<number, boolean>()
  let checking: Promise<void> | null = null
  let checkedAt = Number.NEGATIVE_INFINITY

  async function checkAll(): Promise<void> {
    const nodes = await selectWorkers(pool)
    known = new Map(nodes.map(({ id }) => [id, known.get(id) ?? true]))
    await Promise.all(nodes.map(async (node) => known.set(node.id, await isReached(pool, node))))
  }
  return {
    async latest() {
      if (!checking && performance.now() - checkedAt > checkEveryMs) {
        checkedAt = performance.now()
        // Without the coordinator, nothing is known about its workers.
        checking = checkAll()
          .catch(() => known.clear())
          .finally(() => (checking = null))
      }
      await Promise.race([checking, sleep(mostWaitMs, undefined, { ref: false })])
      return [...known].map(([id, isUp]) => ({ id, isUp }))
    },
  }
}

async function selectWorkers(pool: pg.Pool): Promise<Node[]> {
  const { rowCount: hasCitus } = await pool.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  if (!hasCitus) return []
  const { rows } = await pool.query<Node>(
    `SELECT nodeid AS id, nodename AS host, nodeport AS port FROM pg_dist_node
     WHERE groupid <> 0 AND noderole = 'primary' ORDER BY nodeid`,
  )
  return rows
}

/**
 * Lets the transaction `tx` create tables of an account while the server of another account is down: with Citus, only
 * the coordinator and the account's own server record them. The account cannot be moved until they are dropped, which
 * needs every server (ADR 0073). No effect on PostgreSQL alone.
 */
export async function createWithoutOtherServers(tx: Db): Promise<void> {
  await setLocally(tx, 'citus.enable_metadata_sync', 'off')
}

/** Returns whether the coordinator reaches all workers; true on PostgreSQL alone. */
export async function isClusterWhole(db: Db): Promise<boolean> {
  const { rows: found } = await sql`SELECT FROM pg_extension WHERE extname = 'citus'`.execute(db)
  if (found.length === 0) return true
  const { rows } = await sql<{ whole: boolean }>`
    SELECT coalesce(bool_and(citus_check_connection_to_node(nodename, nodeport)), true) AS whole
    FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary'`.execute(db)
  return rows[0]?.whole ?? true
}

async function isReached(pool: pg.Pool, { host, port }: Node): Promise<boolean> {
  // A server that drops packets only fails when Citus gives up.
  const timeout = sleep(checkTimeoutMs, false, { ref: false })
  const check = pool
    .query<{ reached: boolean }>('SELECT citus_check_connection_to_node($1, $2) AS reached', [host, port])
    .then(({ rows }) => rows[0]?.reached ?? false)
    .catch(() => false)
  return Promise.race([check, timeout])
}
