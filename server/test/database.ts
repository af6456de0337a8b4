import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

// Any number; the same in every test process.
const copyLock = 7_215_094

/** Creates a migrated, empty database for a test file. `drop` also closes open connections. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { url: serverUrl, template } = inject('testServer')
  // PostgreSQL truncates names after 63 characters.
  const name = `${template}_${randomUUID().slice(0, 13).replace('-', '')}`
  await onServer(serverUrl, async (server) => {
    // A template must not be in use, and copying uses it.
    await server.query('SELECT pg_advisory_lock($1)', [copyLock])
    await server.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = (): Promise<void> =>
    onServer(serverUrl, async (server) => {
      await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    })
  return { url: url.href, drop }
}

async function onServer(url: string, work: (server: pg.Client) => Promise<void>): Promise<void> {
  const server = new pg.Client({ connectionString: url, application_name: 'portico tests' })
  await server.connect()
  try {
    await work(server)
  } finally {
    await server.end()
  }
}
