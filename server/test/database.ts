import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { createOnCluster, dropOnCluster, onDatabase, withDatabase } from './cluster.ts'

// Any number; the same in every test process.
const copyLock = 7_215_094

/** Creates a migrated, empty database for a test file. `drop` also closes open connections. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { url: server, template, nodes } = inject('testServer')
  // PostgreSQL truncates names after 63 characters.
  const name = `${template}_${randomUUID().slice(0, 13).replace('-', '')}`
  const url = withDatabase(server, name)
  if (nodes) {
    await createOnCluster(nodes, name)
    await migrate(url)
  } else {
    await onDatabase(server, async (client) => {
      // A template must not be in use, and copying uses it.
      await client.query('SELECT pg_advisory_lock($1)', [copyLock])
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
    })
  }
  return { url, drop: () => dropOnCluster(nodes ?? [server], name) }
}
