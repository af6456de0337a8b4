import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { hasDemo } from '#demo'
import { selectConflicts } from '#persons'
import { bootstrap, requireGoodAdminPassword, requireUsableAdminPassword } from '#sign-in'
import { type Config, ConfigError, readConfig, readSettings } from '#platform/config.ts'
import { protectDataFolder } from '#platform/data-folder.ts'
import {
  DataFolderInUse,
  DatabaseLost,
  superviseEmbeddedPostgres,
} from '#platform/embedded-postgres/supervised-postgres.ts'
import { whileDatabaseReturns } from '#platform/waits/database-start.ts'
import { endWhenStuck } from '#platform/waits/event-loop.ts'
import { isConnectionLost } from '#platform/database.ts'
import { requestLimits } from '#platform/http/slow-requests.ts'
import { createLog, type Logger } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'
import { isNewInstallation } from '#platform/new-installation.ts'
import { buildApp } from './app.ts'
import { printGreeting } from './greeting.ts'
import { startSampleSite } from './sample-site.ts'
import { requireKeyOfDatabase } from './sealed-columns.ts'
import { openServices } from './services.ts'
import { startWorkerRole, startWorkerThread } from './worker-role.ts'

/** Started services, the last one first, which is the order in which they are stopped. */
const running: { name: string; stop: () => Promise<void> }[] = []
let isStopping = false
let hasStarted = false

async function start(config: Config): Promise<void> {
  // At a terminal, the log goes to a file, where it does not hide the summary.
  const logFile = process.stdout.isTTY ? join(config.dataDir, 'logs', 'portico.log') : undefined
  const log = createLog(logFile === undefined ? {} : { file: logFile })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0, log))

  const patiently = whileDatabaseReturns(log)
  await protectDataFolder(config.dataDir, log)
  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config, log))
  // No server of DATABASE_URL has responded so far: refused connections are more likely a wrong setting.
  const first = config.databaseUrl === null ? patiently : whileDatabaseReturns(log, isConnectionLost)
  const away = await first(() => migrate(databaseUrl))
  if (away.length > 0) log.warn({ accounts: away }, 'accounts were not migrated, as their server cannot be reached')
  const services = await openServices(config, databaseUrl, log, 'requests')
  running.unshift({ name: 'database', stop: services.close })

  const { db } = services.database
  await patiently(() => requireKeyOfDatabase(db, config.secretKey))
  const unfound = await patiently(() => selectConflicts(db))
  if (unfound.length > 0) log.warn({ persons: unfound.length }, unfoundPersons)
  await patiently(() => requireUsableAdminPassword(db, config))
  running.unshift({ name: 'watchdog', stop: await endWhenStuck() })
  // Before `bootstrap`: if the port is taken, the first password must not be generated and then never shown.
  if (config.role !== 'worker') {
    await listen(await buildApp(services, requestLimits, () => hasStarted), config)
  }
  if (config.role !== 'worker' && (await patiently(() => hasDemo(services)))) await serveSampleSite(config, log)
  const firstSignIn = await bootstrap(services.database, config, patiently)
  if (config.role === 'worker') {
    running.unshift({ name: 'worker', stop: await startWorkerRole(config, databaseUrl, log) })
  }
  if (config.role === 'all') {
    running.unshift({ name: 'worker', stop: await startWorkerThread({ databaseUrl, logFile }, log, fail) })
  }
  hasStarted = true
  printGreeting(config, { firstSignIn, logFile })
}

const unfoundPersons =
  'people cannot sign in, as others have their address or it is not valid: portico persons conflicts'

async function startEmbedded(config: Config, log: Logger): Promise<string> {
  const postgres = await superviseEmbeddedPostgres(config.dataDir, log, { onLost: fail })
  running.unshift({ name: 'embedded PostgreSQL', stop: postgres.stop })
  return postgres.url
}

async function listen(app: FastifyInstance, config: Config): Promise<AddressInfo> {
  running.unshift({ name: 'web', stop: () => app.close() })
  await app.listen({ host: config.host, port: config.port })
  return app.server.address() as AddressInfo
}

async function serveSampleSite({ host, sampleSitePort, publicUrl }: Config, log: Logger): Promise<void> {
  if (sampleSitePort === null) return
  const stopSite = await startSampleSite({ host, port: sampleSitePort, portalUrl: publicUrl }, log)
  if (stopSite) running.unshift({ name: 'sample site', stop: stopSite })
}

// Jobs take at most ten seconds; PostgreSQL then writes its data in memory.
const mostStopMs = 60_000

/** Stops all services in order, once. Further signals are ignored. */
async function stop(exitCode: number, log?: Logger): Promise<void> {
  if (isStopping) return
  isStopping = true
  log?.info('Stopping. Running jobs go on after the next start.')
  setTimeout(() => process.exit(exitCode), mostStopMs).unref()
  for (const service of running) {
    await service.stop().catch((error: unknown) => process.stderr.write(`Stopping ${service.name}: ${String(error)}\n`))
  }
  process.exit(exitCode)
}

/** Returns one line, except for bugs, which keep their stack. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : null
  if (code === 'EADDRINUSE') return 'The port is taken by another program. Set PORT to a free one.'
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `The database cannot be reached: ${String(error)}`
  if (error instanceof ConfigError || error instanceof DataFolderInUse || error instanceof DatabaseLost) {
    return error.message
  }
  // Errors of the system and of the database have a code; our own contain the fix.
  const isBug = code === null && error.constructor !== Error
  const what = hasStarted ? 'The portal has ended' : 'The portal could not start'
  return isBug ? (error.stack ?? error.message) : `${what}: ${error.message}`
}

// sysexits(3): EX_UNAVAILABLE.
const exitDatabaseLost = 69

/** Prints the error and stops. */
function fail(error: unknown): void {
  process.stderr.write(`${describeFailure(error)}\n`)
  void stop(error instanceof DatabaseLost ? exitDatabaseLost : 1)
}

try {
  const settings = readSettings(process.env)
  // Before anything is created: if the password is refused, the next start must find nothing.
  if (settings.adminPassword !== null && (await isNewInstallation(settings))) await requireGoodAdminPassword(settings)
  await start(readConfig(process.env))
} catch (error) {
  fail(error)
}
