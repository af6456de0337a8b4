import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import type { Actor } from '#platform/actor.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { type Database, openDatabase } from '#platform/database.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'

/** The process that commands run in, from their point of view. The writers take whole lines. */
export type Terminal = {
  env: NodeJS.ProcessEnv
  input: Readable
  writeOut: (text: string) => void
  writeError: (text: string) => void
}

/** Gives a command access to the portal's database and to the terminal. */
export type CommandContext = {
  env: NodeJS.ProcessEnv
  /** The actor in the audit log. */
  by: Actor
  withDatabase: (work: (database: Database) => Promise<void>) => Promise<void>
  /** Prints a result as one line of JSON. */
  print: (result: object) => void
  /** Reads standard input as a password, without the final line break of an editor or `echo`. */
  readPassword: () => Promise<string>
}

export function commandContext({ env, input, writeOut }: Terminal): CommandContext {
  return {
    env,
    by: { actor: 'command line', address: null, via: { kind: 'command-line' } },
    withDatabase: (work) => withDatabase(readConfig(env), work),
    print: (result) => writeOut(`${JSON.stringify(result)}\n`),
    readPassword: async () => (await text(input)).replace(/\r?\n$/, ''),
  }
}

/** Runs `work` on the portal's database. Starts the embedded one if it is not running, and stops it afterwards. */
async function withDatabase(config: Config, work: (database: Database) => Promise<void>): Promise<void> {
  const { url, stop } = await reachPostgres(config)
  try {
    await migrate(url)
    const database = openDatabase(url, createLog({ level: 'silent' }), { max: 2 })
    try {
      await work(database)
    } finally {
      await database.close()
    }
  } finally {
    await stop()
  }
}

async function reachPostgres({ databaseUrl, dataDir }: Config): Promise<{ url: string; stop: () => Promise<void> }> {
  const url = databaseUrl ?? (await findRunningPostgres(dataDir))
  if (url !== null) return { url, stop: async () => {} }
  return startEmbeddedPostgres(dataDir, { info: () => {} })
}
