import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** DuckDB with the same tables, for comparison with a columnar, in-memory engine for analysis. */
export type Duck = {
  query: (text: string) => Promise<unknown[][]>
  close: () => Promise<void>
}

/** Copies tables of the portal's PostgreSQL, and builds indexes on the given columns of each table. */
export async function openDuck(
  databaseUrl: string,
  tables: readonly { name: string; indexes?: readonly string[] }[],
): Promise<Duck> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-duck-'))
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c datestyle=ISO -c timezone=UTC' })
  const instance = await DuckDBInstance.create(':memory:')
  const duck = await instance.connect()
  try {
    await client.connect()
    await duck.run(`SET TimeZone = 'UTC'`).catch(() => {})
    for (const { name, indexes = [] } of tables) {
      const file = join(folder, `${name}.csv`)
      await pipeline(client.query(copyTo(`COPY ${name} TO STDOUT (FORMAT csv, NULL '\\N')`)), createWriteStream(file))
      const [schema = ''] = name.split('.')
      await duck.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
      await duck.run(`CREATE TABLE ${name} (${await columnList(client, name)})`)
      await duck.run(`COPY ${name} FROM '${file}' (FORMAT csv, HEADER false, NULLSTR '\\N')`)
      for (const [at, column] of indexes.entries()) {
        await duck.run(`CREATE INDEX ${name.replace('.', '_')}_${at} ON ${name} (${column})`)
      }
      await rm(file)
    }
  } finally {
    await client.end()
    await rm(folder, { recursive: true, force: true })
  }
  return {
    query: async (text) => (await duck.runAndReadAll(text)).getRows(),
    async close() {
      duck.closeSync()
      instance.closeSync()
    },
  }
}

/** Returns column names and types of a table; DuckDB uses the same type names. */
async function columnList(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  )
  return rows.map(({ name, type }) => `${name} ${type === 'jsonb' ? 'varchar' : type}`).join(', ')
}
