// The worker role in the process of the web role; started and stopped by `startWorkerThread`.
import { parentPort, workerData } from 'node:worker_threads'
import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { endWhenStuck, watchOfJobs } from '#platform/waits/event-loop.ts'
import { startWorkerRole, type ThreadData } from './worker-role.ts'

if (!parentPort) throw new Error('This is a thread of main.ts, not a program.')
// Passed by `startWorkerThread`.
const { databaseUrl, logFile, isDebugged } = workerData as ThreadData
if (!isDebugged) await endWhenStuck(watchOfJobs)
const stop = await startWorkerRole(
  readConfig(process.env),
  databaseUrl,
  createLog(logFile === undefined ? {} : { file: logFile }),
)
parentPort.once('message', () => void stop().finally(() => process.exit()))
parentPort.postMessage('started')
