import type { ChildProcess } from 'node:child_process'
import { killProcess, spawnPortal } from './main-process.ts'
import type { TestPortal } from '#test/kit/portal.ts'

/** Starts workers of the portal as separate processes, as an operator does in addition to the web server. */
export function ownWorkers(portal: () => TestPortal, settings: Record<string, string> = {}) {
  const workers: ChildProcess[] = []

  function start(): ChildProcess {
    const worker = spawnPortal(
      {
        PORTICO_ROLE: 'worker',
        DATABASE_URL: portal().parts.database.url,
        DATA_DIR: portal().config.dataDir,
        ...settings,
      },
      ['ignore', 'ignore', 'inherit'],
    )
    workers.push(worker)
    return worker
  }

  /** Kills all running workers. */
  const killAll = async (): Promise<void> => void (await Promise.all(workers.splice(0).map(killProcess)))

  return { start, kill: killProcess, killAll }
}
