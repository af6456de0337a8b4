import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { whileDatabaseReturns } from '../waits/database-start.ts'
import { inOneLine } from '../texts/in-one-line.ts'
import { type Cluster, openCluster } from './cluster.ts'
import type { EmbeddedPostgres } from './embedded-postgres.ts'
import { launch, type Started } from './launch.ts'
import { prepareDatabase } from './owner-role.ts'
import { endOrphans, removeStalePidFile, settled, stopPostgres } from './process.ts'
import { logFile } from './programs.ts'

/** Another process uses this data folder; the message names it. */
export class DataFolderInUse extends Error {
  constructor(dataDir: string, pid: number) {
    super(`${dataDir} is in use by process ${pid}. Stop that process first, or set DATA_DIR to another folder.`)
    this.name = 'DataFolderInUse'
  }
}

/** PostgreSQL ended or failed to start too often, and is not started again. */
export class DatabaseLost extends Error {
  override name = 'DatabaseLost'
}

type Options = {
  /** Called once, when PostgreSQL will not be started again. */
  onLost: (error: DatabaseLost) => void
  /** `false` is for tests: faster, but nothing survives a power cut. */
  durable?: boolean
}

const mostFailures = 10
// A server that ran for this long had recovered; its next end counts as a new failure.
const steadyMs = 10_000
const mostStarts = 40
const pauseBetweenStartsMs = 250

/** The pauses total half a second after two failures, twelve seconds after nine. */
const pauseMs = (failures: number): number => Math.min(150 * 2 ** (failures - 1), 2000)

/**
 * Runs the PostgreSQL of this data folder for one process exclusively, and restarts it on the same port whenever it
 * ends by itself. The process that starts it owns the data folder: if several try, PostgreSQL itself lets only one win.
 * @throws DataFolderInUse
 */
export async function superviseEmbeddedPostgres(
  dataDir: string,
  log: Logger,
  { onLost, durable = true }: Options,
): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir, { durable })
  const server = await startFirst(cluster, dataDir, durable, log)
  const stopping = new AbortController()
  const watched = watch({ cluster, durable, log, stopping: stopping.signal }, server).catch(onLost)
  const stop = async (): Promise<void> => {
    stopping.abort()
    await watched
  }
  try {
    const patiently = whileDatabaseReturns(log)
    return { url: await patiently(() => prepareDatabase(cluster, server.port)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startFirst(cluster: Cluster, dataDir: string, durable: boolean, log: Logger): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    const running = await settled(cluster.folder)
    if (running?.starter) throw new DataFolderInUse(dataDir, running.starter)
    if (running) {
      // The process that started it was killed. The server may be about to end, so it is stopped instead of used.
      log.info(`Stopping a PostgreSQL left over from an earlier start (process ${running.pid}).`)
      await stopPostgres(cluster.folder, running.pid)
    }
    await endOrphans(cluster.folder)
    await removeStalePidFile(cluster.folder)
    const server = await launch(cluster, durable, log)
    if (!('problem' in server)) return server
    if (!server.isTransient || attempt === mostStarts) throw new Error(server.problem)
    await sleep(pauseBetweenStartsMs)
  }
}

type Watch = { cluster: Cluster; durable: boolean; log: Logger; stopping: AbortSignal }

/** Restarts the server each time it ends. Resolves when it was stopped. @throws DatabaseLost */
async function watch(parts: Watch, first: Started): Promise<void> {
  const { cluster, log, stopping } = parts
  let server: Started | null = first
  let failures = 0
  let reason = ''
  while (server) {
    const started = performance.now()
    await Promise.race([server.whenEnded, aborted(stopping)])
    if (stopping.aborted) return stopPostgres(cluster.folder, server.pid)
    if (performance.now() - started >= steadyMs) failures = 0
    reason = `PostgreSQL ${server.end()}`
    server = null
    while (!server && !stopping.aborted) {
      if (++failures === mostFailures) throw lost(cluster, reason)
      log.error(`${reason}; starting it again. See ${logFile(cluster.home)}.`)
      await sleep(pauseMs(failures), undefined, { signal: stopping }).catch(() => {})
      const next: Started | string = await startAgain(parts, first.port)
      if (typeof next === 'string') reason = next
      else server = next
    }
    if (server) log.info('PostgreSQL is running again.')
  }
}

/** Returns the server, or the reason why it did not start. */
async function startAgain({ cluster, durable, log, stopping }: Watch, port: number): Promise<Started | string> {
  if (stopping.aborted) return 'stopped'
  try {
    await endOrphans(cluster.folder)
    await removeStalePidFile(cluster.folder)
    const server = await launch(cluster, durable, log, port)
    return 'problem' in server ? inOneLine(server.problem) : server
  } catch (error) {
    // For instance, a full disk or the user's process limit.
    return `PostgreSQL did not start: ${error instanceof Error ? error.message : String(error)}`
  }
}

function lost(cluster: Cluster, reason: string): DatabaseLost {
  return new DatabaseLost(
    `The database cannot be kept running: ${mostFailures} failures in a row. ${reason}. See ${logFile(cluster.home)}.`,
  )
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
