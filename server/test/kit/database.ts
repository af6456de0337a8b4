import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { copyOnCluster, dropOnCluster, withDatabase } from './cluster.ts'

/** Creates a migrated, empty database for a test file. `drop` also closes open connections. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { url: server, template, nodes } = inject('testServer')
  // PostgreSQL truncates names after 63 characters.
  const name = `${template}_${randomUUID().slice(0, 13).replace('-', '')}`
  await copyOnCluster(nodes, template, name)
  return { url: withDatabase(server, name), drop: () => dropOnCluster(nodes, name) }
}
