import type { RepeatedEntries } from '#audit'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Services } from '#platform/services.ts'
import type { Tokens } from '#credentials'

/** Dependencies of signing in and of changing sign-in credentials. */
export type SignInDeps = {
  database: Database
  jobs: Jobs
  tokens: Tokens
  /** Records failed sign-ins. */
  repeated: RepeatedEntries
  config: Pick<Config, 'secretKey' | 'company' | 'product' | 'publicUrl'>
}

/** Services that the routes of this module use. */
export type SignInServices = Pick<Services, 'config' | 'database' | 'jobs'> & { repeated: RepeatedEntries }

/** The origin of a request. `device` is the user agent; `caller` is authenticated. */
export type Origin = { address: string; device: string; caller?: Pick<Caller, 'via'> | null }
