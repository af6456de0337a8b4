import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { openClient } from './database.ts'

/** Returns whether the portal has never run with this database, or with the embedded one. Creates nothing. */
export async function isNewInstallation({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>) {
  if (databaseUrl === null) return !existsSync(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'))
  const client = openClient(databaseUrl, 'portico start')
  await client.connect()
  try {
    const { rowCount } = await client.query(`SELECT FROM pg_namespace WHERE nspname = 'portico'`)
    return rowCount === 0
  } finally {
    await client.end()
  }
}
