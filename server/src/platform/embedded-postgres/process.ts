import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasCode } from './account.ts'
import { clusterState, refusesConnections } from './recovery.ts'

const run = promisify(execFile)

/** A running PostgreSQL of one data folder, started by any process. */
export type RunningPostgres = {
  pid: number
  port: number
  status: 'starting' | 'ready' | 'stopping'
  /** The process that started it; null if it has ended. */
  starter: number | null
}

/** Setting that names the process that started PostgreSQL. PostgreSQL itself ignores it. */
export const startedBySetting = 'portico.started_by'

const pollMs = 10
// Together, well below the minute after which `main.ts` exits without waiting.
const recoveryWaitMs = 5000
const checkpointWaitMs = 30_000

/** Returns the PostgreSQL that runs on this cluster, or null. */
export async function findRunning(cluster: string): Promise<RunningPostgres | null> {
  const file = await readPidFile(cluster)
  const process = file && (await inspect(file.pid))
  if (!process || !(await isPostgresOf(cluster, process))) return null
  return { pid: file.pid, port: file.port, status: file.status, starter: starterOf(process) }
}

/** Returns the process that started a server; null if it has ended, which gives the server another parent. */
const starterOf = ({ args, parent }: Process): number | null =>
  args.includes(`${startedBySetting}=${parent}`) ? parent : null

/**
 * Removes a stale `postmaster.pid` that would block a start: its id now belongs to another process, or the file is
 * empty. PostgreSQL itself replaces the file of a process that has ended, safely even if two start at the same time.
 */
export async function removeStalePidFile(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  const modified = await modifiedMs(path)
  if (modified === null) return
  const file = await readPidFile(cluster)
  // Another process may be about to write a new empty file.
  const isInTheWay = file ? (await inspect(file.pid)) !== null : Date.now() - modified > 2000
  if (isInTheWay && (await findRunning(cluster)) === null) await rm(path, { force: true })
}

async function modifiedMs(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/**
 * Fast shutdown: closes connections and flushes all data. Resolves when the process has ended. A server that is
 * recovering from the crash of one of its processes is shut down immediately, as it would never end otherwise
 * (PostgreSQL 18): the next start recovers from the log, as this one would have.
 */
export async function stopPostgres(cluster: string, pid: number): Promise<void> {
  const running = await findRunning(cluster)
  const isRefusing = running?.pid === pid && (await refusesConnections(running.port))
  const isGone = async (): Promise<boolean> => (await findRunning(cluster))?.pid !== pid
  signal(pid, isRefusing ? 'SIGQUIT' : 'SIGINT')
  if (await within(recoveryWaitMs, isGone)) return
  const isRecovering = (await clusterState(cluster)) === 'recovering'
  if (!isRecovering && (await within(checkpointWaitMs, isGone))) return
  signal(pid, 'SIGQUIT')
  // The server kills processes that do not end within five seconds.
  await within(immediateWaitMs, isGone)
}

const immediateWaitMs = 10_000

/**
 * Ends processes that a killed PostgreSQL has left behind: a busy one only notices when its statement is done, and no
 * new server starts before. On systems other than Linux they cannot be distinguished from those of other clusters, and
 * end by themselves.
 */
export async function endOrphans(cluster: string): Promise<void> {
  if (process.platform !== 'linux') return
  const folder = await realpath(cluster)
  const areGone = async (): Promise<boolean> => (await orphansOf(folder)).length === 0
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of await orphansOf(folder)) signal(pid, name)
    if (await within(orphanWaitMs, areGone)) return
  }
}

const orphanWaitMs = 3000

async function orphansOf(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const processes = await Promise.all(pids.map(async (pid) => ({ pid, process: await inspect(pid) })))
  const found = processes.flatMap(({ pid, process }) =>
    process?.command === 'postgres' && process.workingFolder === folder ? [{ pid, process }] : [],
  )
  // Another portal may have just started a server that has not written its `postmaster.pid` yet.
  const started = new Set(found.filter(({ process }) => starterOf(process) !== null).map(({ pid }) => pid))
  return found.flatMap(({ pid, process }) => (started.has(pid) || started.has(process.parent) ? [] : [pid]))
}

/**
 * Waits while PostgreSQL is starting or stopping. Returns the running server, or null. A server that does not finish
 * stopping is shut down immediately: the process that asked it to stop may have been killed before it could insist.
 * @param patienceMs how long it may take to stop; by default as long as its state needs
 */
export async function settled(cluster: string, patienceMs?: number): Promise<RunningPostgres | null> {
  let running = await findRunning(cluster)
  let since: number | null = null
  while (running && running.status !== 'ready') {
    if (running.status === 'stopping') {
      since ??= Date.now()
      if (Date.now() - since >= (patienceMs ?? (await patienceWith(cluster, running)))) {
        signal(running.pid, 'SIGQUIT')
        since = Date.now()
      }
    }
    await sleep(pollMs)
    running = await findRunning(cluster)
  }
  return running
}

/** Returns how many ms a stopping server gets. */
async function patienceWith(cluster: string, { starter }: RunningPostgres): Promise<number> {
  const state = await clusterState(cluster)
  // The last checkpoint writes the data in memory, which may be a lot. A live starter insists itself.
  const isLong = state === 'stopping' || (state === 'other' && starter !== null)
  return isLong ? recoveryWaitMs + checkpointWaitMs : recoveryWaitMs
}

/** Resolves to false if the condition is not met in time. */
async function within(ms: number, condition: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(pollMs)) {
    if (await condition()) return true
  }
  return false
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

type PidFile = Pick<RunningPostgres, 'pid' | 'port' | 'status'>

/**
 * Reads `postmaster.pid`: pid, folder, start, port, … and status, one a line. See
 * https://www.postgresql.org/docs/18/storage-file-layout.html.
 */
async function readPidFile(cluster: string): Promise<PidFile | null> {
  try {
    const [pid, , , port, , , , status = ''] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
    if (!Number(pid)) return null
    const state = status.trim()
    return {
      pid: Number(pid),
      port: Number(port),
      status: state === 'ready' || state === 'stopping' ? state : 'starting',
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

type Process = { parent: number; command: string; args: string[]; workingFolder: string | null }

/** Returns null if there is no such process, or if it is a zombie. */
async function inspect(pid: number): Promise<Process | null> {
  if (process.platform !== 'linux') return inspectWithPs(pid)
  try {
    // `1234 (the name) S 1 …`; the name may contain spaces and parentheses.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const [start, end] = [stat.indexOf('('), stat.lastIndexOf(') ')]
    const command = stat.slice(start + 1, end)
    const [state, parent] = stat.slice(end + 2).split(' ')
    if (state === 'Z' || state === 'X') return null
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    return { parent: Number(parent), command, args, workingFolder: await readWorkingFolder(pid) }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return null
    throw error
  }
}

async function readWorkingFolder(pid: number): Promise<string | null> {
  try {
    return await readlink(`/proc/${pid}/cwd`)
  } catch (error) {
    // In a container even root may not inspect another user's process.
    if (hasCode(error, 'EACCES', 'EPERM')) return null
    throw error
  }
}

async function inspectWithPs(pid: number): Promise<Process | null> {
  try {
    const { stdout } = await run('ps', ['-o', 'ppid=,args=', '-p', String(pid)])
    const [parent, ...args] = stdout.trim().split(/\s+/)
    const command = args[0]?.split('/').at(-1) ?? ''
    return { parent: Number(parent), command, args, workingFolder: null }
  } catch {
    // ps fails if there is no such process.
    return null
  }
}

async function isPostgresOf(cluster: string, { command, workingFolder }: Process): Promise<boolean> {
  // A process of that name that cannot be inspected counts as ours: a second PostgreSQL on the same files would destroy
  // them, while connecting to the wrong one only fails.
  return command === 'postgres' && (workingFolder === null || workingFolder === (await realpath(cluster)))
}
