import { readFile, rename, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './account.ts'
import type { Cluster } from './cluster.ts'
import { findRunning, startedBySetting } from './process.ts'
import { lastLogLines, logFile, type Program, startProgram } from './programs.ts'
import { type Machine, serverSettings } from './settings.ts'

/** A server that accepts connections. */
export type Started = Program & { pid: number; port: number }

/** `isTransient`: a retry shortly after may succeed. `isCleared`: the next start does not have the problem. */
type NotStarted = { problem: string; isTransient: boolean; isCleared: boolean }

type Log = { info(message: string): void }

const pollMs = 10
const noticeMs = 10_000

/**
 * Starts the server of a stopped cluster, and waits until it accepts connections. With `restartOn` it is a restart,
 * which keeps the port and appends to the log.
 */
export async function launch(
  cluster: Cluster,
  durable: boolean,
  log: Log,
  restartOn?: number,
): Promise<Started | NotStarted> {
  const port = restartOn ?? (await choosePort(cluster.home))
  if (restartOn === undefined) await beginLog(cluster.home)
  const server = await startServer(cluster, durable, log, port)
  return 'problem' in server && server.isCleared ? startServer(cluster, durable, log, port) : server
}

async function startServer(cluster: Cluster, durable: boolean, log: Log, port: number): Promise<Started | NotStarted> {
  const settings = {
    ...serverSettings(await readMachine(cluster.home), durable),
    // Reachable only from this machine, with a password.
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    [startedBySetting]: String(process.pid),
  }
  const server = startProgram(cluster.programs, 'postgres', [
    '-D',
    join(cluster.programs.reachHome, 'cluster'),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  await readiness(cluster, server, log)
  if (server.end() !== null) return notStarted(cluster, server)
  return { ...server, pid: server.pid ?? 0, port }
}

async function readiness(cluster: Cluster, server: Program, log: Log): Promise<void> {
  const started = Date.now()
  let isNoticed = false
  while (server.end() === null) {
    const running = await findRunning(cluster.folder)
    if (running?.pid === server.pid && running?.status === 'ready') return
    // After a crash, it replays its log, which may take minutes and must not be interrupted.
    if (!isNoticed && Date.now() - started > noticeMs) {
      log.info(`PostgreSQL is still starting; see ${logFile(cluster.home)}.`)
      isNoticed = true
    }
    await sleep(pollMs)
  }
}

async function notStarted(cluster: Cluster, server: Program): Promise<NotStarted> {
  const words = await lastLogLines(cluster.home)
  return {
    problem: `PostgreSQL did not start: it ${server.end()}.\n${words}\n(from ${logFile(cluster.home)})`,
    isTransient:
      /could not bind|lock file "postmaster.pid"|pre-existing shared memory block/.test(words) ||
      server.end()?.startsWith('ended by SIG') === true,
    // A crash right after the rollback of an unlogged table leaves a part of it. Recovery restores the other part and
    // fails on this one; the next recovery removes both.
    isCleared: words
      .split('\n')
      .some((line) => line.includes('could not create file "base/') && line.includes('": File exists')),
  }
}

/** Returns the port of the last start if it is free, which lets other clients reconnect; otherwise any free port. */
async function choosePort(home: string): Promise<number> {
  const path = join(home, 'port')
  const last = await readFile(path, 'utf8').then(Number, () => 0)
  const port = (await freePort(last)) ?? (await freePort(0))
  if (port === null) throw new Error('No free port on 127.0.0.1 for PostgreSQL.')
  if (port !== last) await writeFile(path, `${port}\n`)
  return port
}

/** Returns the port, or null if it is taken. Port 0 means any free port. */
function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}

async function beginLog(home: string): Promise<void> {
  try {
    await rename(logFile(home), `${logFile(home)}.previous`)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

async function readMachine(home: string): Promise<Machine> {
  const disk = await statfs(home)
  // Zero or a huge number if this container has no limit.
  const limit = process.constrainedMemory()
  return {
    memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem(),
    cpus: availableParallelism(),
    freeDiskBytes: disk.bavail * disk.bsize,
    sharedMemoryBytes: await sharedMemoryBytes(),
  }
}

async function sharedMemoryBytes(): Promise<number> {
  if (process.platform !== 'linux') return Infinity
  try {
    const { blocks, bsize } = await statfs('/dev/shm')
    return blocks * bsize
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
}
