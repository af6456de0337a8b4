import { url as debuggerUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { startDemo } from '#demo'
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log.ts'
import { lowerThreadPriority, lowerDatabasePriority } from '#platform/priority.ts'
import { keepThread } from './kept-thread.ts'
import { openServices } from './services.ts'
import { startWorker } from './worker.ts'

/** Data passed to the thread, which reads the settings itself from the same environment. */
export type ThreadData = { databaseUrl: string; logFile: string | undefined; isDebugged: boolean }

/** Runs the worker role in this thread: runs jobs, and loads the demo. Returns a function that stops it cleanly. */
export async function startWorkerRole(config: Config, databaseUrl: string, log: Logger): Promise<() => Promise<void>> {
  lowerThreadPriority()
  const services = await openServices(config, databaseUrl, log, 'jobs')
  // Only processes of the embedded PostgreSQL can be lowered.
  if (config.databaseUrl === null) lowerDatabasePriority(services.database.pool)
  await startWorker(services)
  const stopDemo = startDemo(services)
  return async () => {
    await stopDemo()
    await services.close()
  }
}

// A job that ends the thread each time is given up after six attempts (`run-attempt.ts`): two of them, within an hour.
const mostRestarts = 12

/**
 * Runs the worker role in a separate thread: reading a file of millions of rows then never delays requests (ADR 0039). An error
 * that ends the thread, such as memory that a job has used up, ends no request: the thread is started again, and its jobs go on.
 * Returns a function that stops it; `onFailure` is called with the error if it ends again and again.
 */
export async function startWorkerThread(
  data: Omit<ThreadData, 'isDebugged'>,
  log: Logger,
  onFailure: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const workerData: ThreadData = { ...data, isDebugged: debuggerUrl() !== undefined }
  const { stop } = await keepThread(
    () => new Worker(new URL('./worker-thread.ts', import.meta.url), { workerData, name: 'jobs' }),
    {
      mostRestarts,
      pauseMs: 1000,
      onRestart: (error) => log.error({ err: error }, 'the thread of the jobs has ended, and is started again'),
      onFailure,
    },
  )
  return stop
}
