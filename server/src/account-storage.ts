import { storedBytes } from '#downloads'
import { createLimitedStorage } from '#files'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import { registrations } from './registrations.ts'

/** Creates the storage with the quota of each account, which includes the files of all modules. */
export function createAccountStorage(config: Config, { db }: Pick<Database, 'db'>, log: Logger): Storage {
  const sources = registrations.flatMap(({ files }) => files ?? [])
  const used = async (account: number): Promise<number> => (await storedBytes({ db, sources }, account)).total
  return createLimitedStorage(config, { ...config, used }, db, log)
}
