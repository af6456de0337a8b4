import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs.ts'
import type { Tokens } from '#credentials'

/** What signing in, and changing what one signs in with, is done with. */
export type SignInDeps = {
  database: Database
  jobs: Jobs
  tokens: Tokens
  config: Pick<Config, 'secretKey' | 'company' | 'product'>
}

/** Where a request comes from. `device`: the user agent. */
export type Origin = { address: string; device: string }
