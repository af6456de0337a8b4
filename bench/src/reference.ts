import { createReadStream } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { columns } from './contact-file.ts'

const types = { string: 'text', number: 'double precision', boolean: 'boolean', date: 'timestamptz', day: 'date' }

/** Times of PostgreSQL alone for the same data, the reference of product targets. */
export type Reference = {
  /** Milliseconds of `COPY … FROM` of the file into a table with the right types. */
  copyIn: (path: string) => Promise<number>
  /** Milliseconds of `COPY … TO` of that table, with the bytes read and dropped. */
  copyOut: () => Promise<number>
  close: () => Promise<void>
}

export async function openReference(databaseUrl: string): Promise<Reference> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c datestyle=ISO,MDY -c timezone=UTC' })
  await client.connect()
  const list = columns.map(([, type], index) => `c${index} ${types[type]}`).join(', ')
  await client.query('DROP TABLE IF EXISTS reference')
  await client.query(`CREATE TABLE reference (${list})`)
  return {
    async copyIn(path) {
      await client.query('TRUNCATE reference')
      const start = performance.now()
      await pipeline(
        createReadStream(path, { highWaterMark: 1 << 18 }),
        client.query(copyFrom('COPY reference FROM STDIN (FORMAT csv, HEADER)')),
      )
      return performance.now() - start
    },
    async copyOut() {
      const start = performance.now()
      const drop = new Writable({ write: (_chunk, _encoding, done) => done() })
      await pipeline(client.query(copyTo('COPY reference TO STDOUT (FORMAT csv, HEADER)')), drop)
      return performance.now() - start
    },
    async close() {
      await client.query('DROP TABLE IF EXISTS reference')
      await client.end()
    },
  }
}
