import { exec } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '#platform/migrations.ts'
import { clusterNodes, createOnCluster, dropOnCluster, onDatabase, withDatabase } from '#test/kit/cluster.ts'
import { openPortal, type TestPortal } from '#test/kit/portal.ts'

/** A portal on a new database of the cluster, with all workers but the spare one. */
export type ClusterPortal = {
  portal: TestPortal
  /** `host:port` of the worker that is stopped, and of the one that is added. */
  worker: string
  spare: string
  stopWorker: () => Promise<void>
  startWorker: () => Promise<void>
  /** `host:port` of the worker that stores an account. */
  workerOf: (account: number) => Promise<string>
  close: () => Promise<void>
}

const run = promisify(exec)

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name}; scripts/torture-citus.mjs says to what.`)
  return value
}

export async function openClusterPortal(): Promise<ClusterPortal> {
  const [server, worker] = [setting('DATABASE_URL_TEST'), setting('WORKER')]
  const nodes = await clusterNodes(server)
  const spare = nodes
    ?.slice(1)
    .map((url) => new URL(url).host)
    .findLast((host) => host !== worker)
  if (!nodes || !spare) throw new Error('DATABASE_URL_TEST must be a coordinator with at least two workers.')
  const name = `portico_torture_${randomUUID().slice(0, 8)}`
  await createOnCluster(nodes, name)
  const url = withDatabase(server, name)
  const [host, port] = spare.split(':')
  await onDatabase(url, (client) => client.query('SELECT citus_remove_node($1, $2)', [host, Number(port)]))
  await migrate(url)
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-torture-'))
  const portal = await openPortal(dataDir, url, { outboundAllow: ['127.0.0.1'] })
  await portal.startWorker()
  return {
    portal,
    worker,
    spare,
    stopWorker: async () => void (await run(setting('WORKER_STOP'))),
    startWorker: async () => void (await run(setting('WORKER_START'))),
    workerOf: async (account) => {
      const { rows } = await portal.parts.database.pool.query<{ worker: string }>(
        `SELECT nodename || ':' || nodeport AS worker FROM citus_shards WHERE table_name = $1::regclass`,
        [`account_${account}.contacts`],
      )
      return rows[0]?.worker ?? ''
    },
    async close() {
      await portal.close()
      await rm(dataDir, { recursive: true, force: true })
      await dropOnCluster(nodes, name)
    },
  }
}
