import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { startDemo } from '#demo'
import { createStorage } from '#files'
import { bootstrap } from '#identity'
import { type Config, ConfigError, readConfig } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts'
import { startJobs } from '#platform/jobs.ts'
import { createLog } from '#platform/log.ts'
import { createMail } from '#platform/mail.ts'
import { migrate } from '#platform/migrations.ts'
import { buildApp } from './app.ts'
import { printGreeting } from './greeting.ts'
import { jobKinds, startWorker } from './worker.ts'

/** What has been started, last first: the order in which it is stopped. */
const running: { name: string; stop: () => Promise<void> }[] = []
let isStopping = false

async function start(config: Config): Promise<void> {
  // At a terminal the log would bury what a person wants to read; it goes to a file then.
  const logFile = process.stdout.isTTY ? join(config.dataDir, 'logs', 'portico.log') : undefined
  const log = createLog(logFile === undefined ? {} : { file: logFile })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0))

  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config))
  await migrate(databaseUrl)
  const database = openDatabase(databaseUrl, log)
  running.unshift({ name: 'database', stop: database.close })
  const jobs = await startJobs(databaseUrl, jobKinds, log)
  running.unshift({ name: 'jobs', stop: jobs.stop })
  const storage = createStorage(config, log)
  const parts = { config, database, jobs, storage, mail: createMail(config), log }

  // Before the first sign-in is made: if the port is taken, its password must not be made and then never shown.
  if (config.role !== 'worker') await listen(await buildApp(parts), config)
  const firstSignIn = await bootstrap(database, config)
  if (config.role !== 'api') await startWorker(parts)
  printGreeting(config, { firstSignIn, logFile })
  if (config.role !== 'api') running.unshift({ name: 'demo', stop: startDemo(parts) })
}

async function startEmbedded(config: Config): Promise<string> {
  const postgres = await startEmbeddedPostgres(config.dataDir, { info: () => {} })
  running.unshift({ name: 'embedded PostgreSQL', stop: postgres.stop })
  return postgres.url
}

async function listen(app: FastifyInstance, config: Config): Promise<AddressInfo> {
  running.unshift({ name: 'web', stop: () => app.close() })
  await app.listen({ host: config.host, port: config.port })
  return app.server.address() as AddressInfo
}

/** Stops everything in order, once; a second signal does not hurry it. */
async function stop(exitCode: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  for (const part of running) {
    await part.stop().catch((error: unknown) => process.stderr.write(`Stopping ${part.name}: ${String(error)}\n`))
  }
  process.exit(exitCode)
}

/** What a person at a terminal can do something about is one line; anything else is a bug and keeps its stack. */
function describeFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE') return 'The port is taken by another program. Set PORT to a free one.'
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `The database cannot be reached: ${String(error)}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

try {
  await start(readConfig(process.env))
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`)
  await stop(1)
}
