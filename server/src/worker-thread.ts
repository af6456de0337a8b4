// The worker role beside the web role of the same process; `startWorkerThread` starts it and says when it stops.
import { parentPort, workerData } from 'node:worker_threads'
import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { startWorkerRole, type ThreadData } from './worker-role.ts'

if (!parentPort) throw new Error('This is a thread of main.ts, not a program.')
// What `startWorkerThread` has handed over.
const { databaseUrl, logFile } = workerData as ThreadData
const stop = await startWorkerRole(
  readConfig(process.env),
  databaseUrl,
  createLog(logFile === undefined ? {} : { file: logFile }),
)
parentPort.once('message', () => void stop().finally(() => process.exit()))
parentPort.postMessage('started')
