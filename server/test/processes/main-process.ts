import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'

/**
 * Starts the portal in a separate process, without demo. From our environment it gets PATH, and the cache of compiled
 * code that halves the time of a start.
 */
export function spawnPortal(settings: Record<string, string>, stdio: StdioOptions): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return spawn(process.execPath, ['src/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio,
    env: {
      PATH,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      UV_THREADPOOL_SIZE: '24',
      PORTICO_DEMO: 'off',
      ...settings,
    },
  })
}

/** Kills a process without warning, and resolves when it has ended. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Returns whether the process has not ended. */
export const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

/** Returns a port of the loopback address that is currently free. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
