import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './account.ts'
import { type Cluster, findCluster, openCluster, type Reachable } from './cluster.ts'
import { launch, type Started } from './launch.ts'
import { preparedUrl, prepareDatabase } from './owner-role.ts'
import { findRunning, removeStalePidFile, settled, stopPostgres } from './process.ts'
import { logFile } from './programs.ts'

export type EmbeddedPostgres = { url: string; stop: () => Promise<void> }

type Log = { info(message: string): void }

/**
 * Starts the PostgreSQL of this data folder, and creates its database on the first start. If another live process has
 * started it, that server is used and `stop` leaves it running: it ends with the process that started it. `durable:
 * false` is for tests: faster, but nothing survives a power cut.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  log: Log,
  { durable = true }: { durable?: boolean } = {},
): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir, { durable })
  for (let attempt = 1; ; attempt++) {
    const adopted = await adopt(cluster, log)
    if (adopted) return adopted
    const server = await launch(cluster, durable, log)
    if (!('problem' in server)) return own(cluster, server, log)
    // Transient problems: a taken port, another process starting at the same time, the last workers of a killed server.
    if (!server.isTransient || attempt === 40) throw new Error(server.problem)
    await sleep(250)
  }
}

/**
 * Returns the URL of this data folder's running PostgreSQL, or null. For the command line while a server is running.
 */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const cluster = await findCluster(dataDir)
  if (!cluster) return null
  const running = await findRunning(cluster.folder)
  return running?.status === 'ready' ? urlUnlessEnding(cluster, running.port) : null
}

/** Returns the URL of a running server; null when it is about to end. */
async function urlUnlessEnding(cluster: Reachable, port: number): Promise<string | null> {
  try {
    return await preparedUrl(cluster, port)
  } catch (error) {
    if (hasCode(error, '57P01', '57P03', 'ECONNREFUSED', 'ECONNRESET')) return null
    throw error
  }
}

async function adopt(cluster: Cluster, log: Log): Promise<EmbeddedPostgres | null> {
  const running = await settled(cluster.folder)
  if (running?.starter) {
    const url = await urlUnlessEnding(cluster, running.port)
    if (url === null) return null
    log.info(`PostgreSQL is already running (process ${running.pid}); using it.`)
    return { url, stop: async () => {} }
  }
  if (running) {
    // The process that started it was killed. The server may be about to end, so it is stopped instead of used.
    log.info(`Stopping a PostgreSQL left over from an earlier start (process ${running.pid}).`)
    await stopPostgres(cluster.folder, running.pid)
  }
  await removeStalePidFile(cluster.folder)
  return null
}

async function own(cluster: Cluster, server: Started, log: Log): Promise<EmbeddedPostgres> {
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= stopPostgres(cluster.folder, server.pid))
  void server.whenEnded.then(() => {
    if (!stopping) log.info(`PostgreSQL ${server.end()}; see ${logFile(cluster.home)}.`)
  })
  try {
    return { url: await prepareDatabase(cluster, server.port), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
