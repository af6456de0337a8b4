import type { Config } from './config.ts'
import type { Database } from './database.ts'
import type { Jobs } from './jobs.ts'
import type { Logger } from './log.ts'
import type { Mail } from './mail.ts'
import type { Storage } from './storage.ts'

/** What a process of the portal is put together from; `main.ts` makes it, `app.ts` and `worker.ts` hand it out. */
export type Services = {
  config: Config
  database: Database
  jobs: Jobs
  storage: Storage
  mail: Mail
  log: Logger
}
