import type { Config } from './config.ts'
import type { Database } from './database.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Logger } from './log.ts'
import type { Mail } from './mail.ts'
import type { Storage } from './storage.ts'

/** Services of one process. `openServices` opens them; `app.ts` and `worker.ts` pass each module the ones it needs. */
export type Services = {
  config: Config
  database: Database
  jobs: Jobs
  storage: Storage
  mail: Mail
  log: Logger
}
