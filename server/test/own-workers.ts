import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestPortal } from './portal.ts'

/** Starts workers of the portal as processes of their own, as an operator does beside the web server. */
export function ownWorkers(portal: () => TestPortal, env: Record<string, string> = {}) {
  const workers: ChildProcess[] = []

  function start(): ChildProcess {
    const worker = spawn(process.execPath, ['src/main.ts'], {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        PORTICO_ROLE: 'worker',
        PORTICO_DEMO: 'off',
        DATABASE_URL: portal().parts.database.url,
        DATA_DIR: portal().config.dataDir,
        ...env,
      },
    })
    workers.push(worker)
    return worker
  }

  /** Kills a worker without warning. */
  async function kill(worker: ChildProcess): Promise<void> {
    worker.kill('SIGKILL')
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
  }

  /** Kills all that run. */
  const killAll = async (): Promise<void> => void (await Promise.all(workers.splice(0).map(kill)))

  return { start, kill, killAll }
}
