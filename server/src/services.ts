import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#platform/config.ts'
import { type Database, openDatabase } from '#platform/database.ts'
import { startJobs } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { createMail } from '#platform/mail.ts'
import type { Services } from '#platform/services.ts'
import { whileDatabaseReturns } from '#platform/waits/database-start.ts'
import { createAccountStorage } from './account-storage.ts'
import { jobKinds } from './worker.ts'

/**
 * Opens the services of a role, which serve requests or jobs; `close` closes them in order. The database must be
 * migrated; while it recovers from a crash, this waits for at most a minute.
 */
export async function openServices(
  config: Config,
  databaseUrl: string,
  log: Logger,
  use: 'requests' | 'jobs',
): Promise<Services & { close: () => Promise<void> }> {
  const database = openDatabase(databaseUrl, log, { use })
  const jobs = await whileDatabaseReturns(log)(() => startJobs(databaseUrl, jobKinds, log))
  const close = async (): Promise<void> => {
    const cutting = new AbortController()
    const cut = cutLongStatements(database, cutting.signal)
    await jobs.stop()
    cutting.abort()
    await cut
    await cutTheRest(database)
    await database.close()
  }
  return {
    config,
    database,
    jobs,
    storage: createAccountStorage(config, database, log),
    mail: createMail(config),
    log,
    close,
  }
}

// Batches of jobs end earlier, so nothing is done twice; a statement over a whole file may take minutes.
const graceMs = 4000
const cutEveryMs = 500

const mostRestMs = 3000
const lookEveryMs = 50

/**
 * Cancels what else has a connection, such as the hourly cleanup, which would keep the database from being closed. It is in
 * transactions, and done again after the next start.
 */
async function cutTheRest({ pool, cancelLong }: Database): Promise<void> {
  const until = performance.now() + mostRestMs
  while (pool.totalCount > pool.idleCount && performance.now() < until) {
    // Without a free connection, it would wait for one.
    await Promise.race([cancelLong().catch(() => {}), sleep(lookEveryMs)])
    await sleep(lookEveryMs)
  }
}

/** Cancels running database statements of jobs, once they have had time to reach a safe point. */
async function cutLongStatements(database: Database, signal: AbortSignal): Promise<void> {
  await sleep(graceMs, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    // A database that is down runs no statements.
    await database.cancelLong().catch(() => {})
    await sleep(cutEveryMs, undefined, { signal }).catch(() => {})
  }
}
