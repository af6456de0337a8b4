import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs.ts'
import type { Tokens } from '#credentials'

/** Dependencies of signing in and of changing sign-in credentials. */
export type SignInDeps = {
  database: Database
  jobs: Jobs
  tokens: Tokens
  config: Pick<Config, 'secretKey' | 'company' | 'product'>
}

/** The origin of a request. `device` is the user agent; `caller` is authenticated. */
export type Origin = { address: string; device: string; caller?: Pick<Caller, 'via'> | null }
