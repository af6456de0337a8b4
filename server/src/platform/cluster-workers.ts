import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** A server of a Citus cluster that holds accounts. `id` is its `nodeid` in `pg_dist_node`, which names no host. */
export type ClusterWorker = { id: number; isUp: boolean }

export type ClusterWorkers = {
  /**
   * The workers as of the last check, which is a few seconds old at most where all reply; none without Citus. Waits half a
   * second for a new check: a worker that has not replied by then is the way it was found before.
   */
  latest: () => Promise<ClusterWorker[]>
}

const checkEveryMs = 5000
const mostWaitMs = 500
const checkTimeoutMs = 10_000

type Node = { id: number; host: string; port: number }

/** Checks from the coordinator whether it reaches its workers, when asked and at most every five seconds. */
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
        // Without the coordinator nothing is known of its workers.
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

async function isReached(pool: pg.Pool, { host, port }: Node): Promise<boolean> {
  // A server that drops packets replies only when Citus gives up.
  const timeout = sleep(checkTimeoutMs, false, { ref: false })
  const check = pool
    .query<{ reached: boolean }>('SELECT citus_check_connection_to_node($1, $2) AS reached', [host, port])
    .then(({ rows }) => rows[0]?.reached ?? false)
    .catch(() => false)
  return Promise.race([check, timeout])
}
