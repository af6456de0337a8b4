import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findRunningPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { freePort, isRunning, killProcess, spawnPortal } from './main-process.ts'

/** A portal in a separate process, with the embedded PostgreSQL. */
export type RunningPortal = {
  child: ChildProcess
  url: string
  /** Returns both outputs so far. */
  output: () => string
  /** Resolves when it accepts requests, or has ended. */
  ready: () => Promise<void>
  /** Resolves to the exit code; null when a signal ended it. */
  ended: () => Promise<number | null>
}

/** Creates a data folder for portals that run one after the other, or together; `remove` ends them. */
export async function portalFolder(settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-running-'))
  const children: ChildProcess[] = []

  async function start(more: Record<string, string> = {}): Promise<RunningPortal> {
    const port = await freePort()
    const child = spawnPortal(
      {
        PORTICO_ADMIN_PASSWORD: 'correct horse battery staple',
        PORT: String(port),
        DATA_DIR: dataDir,
        ...settings,
        ...more,
      },
      ['ignore', 'pipe', 'pipe'],
    )
    children.push(child)
    const exited = once(child, 'exit')
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += String(text)))
    const url = `http://127.0.0.1:${port}`
    return {
      child,
      url,
      output: () => output,
      ready: async () => {
        while (isRunning(child) && !output.includes('is running.')) await sleep(20)
      },
      ended: async () => {
        await exited
        return child.exitCode
      },
    }
  }

  async function remove(): Promise<void> {
    await Promise.all(children.map(killProcess))
    // PostgreSQL stops with the portal.
    const pid = await postmaster()
    while (pid !== null && exists(pid)) await sleep(20)
    await rm(dataDir, { recursive: true, force: true })
  }

  /** Returns the process id of the folder's database server; null if there is none. */
  async function postmaster(): Promise<number | null> {
    const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '')
    return Number(file.split('\n')[0]) || null
  }

  async function databaseUrl(): Promise<string> {
    const url = await findRunningPostgres(dataDir)
    if (url === null) throw new Error('no database is running')
    return url
  }

  return { dataDir, start, postmaster, databaseUrl, remove }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
