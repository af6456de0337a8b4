import { createStorage } from '#files'
import type { Config } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { startJobs } from '#platform/jobs.ts'
import type { Logger } from '#platform/log.ts'
import { createMail } from '#platform/mail.ts'
import type { Services } from '#platform/services.ts'
import { jobKinds } from './worker.ts'

/** Opens the services of a role; `close` closes them in order. The database must be migrated. */
export async function openServices(
  config: Config,
  databaseUrl: string,
  log: Logger,
): Promise<Services & { close: () => Promise<void> }> {
  const database = openDatabase(databaseUrl, log)
  const jobs = await startJobs(databaseUrl, jobKinds, log)
  const close = async (): Promise<void> => {
    await jobs.stop()
    await database.close()
  }
  return { config, database, jobs, storage: createStorage(config, log), mail: createMail(config), log, close }
}
