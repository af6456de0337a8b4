import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findCluster, ownerRole, superuserUrl } from '#platform/embedded-postgres/cluster.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '#platform/migrations.ts'
import { clusterNodes, dropOnCluster, onDatabase, withDatabase } from './cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * A database for commands, and the migrated template of all test databases. On Citus, whose databases cannot be copied,
     * the template is only the start of their names, and `nodes` are all nodes.
     */
    testServer: { url: string; template: string; nodes: string[] | null }
  }
}

/** Starts one PostgreSQL for the whole run, or uses DATABASE_URL_TEST. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await openServer(process.env['DATABASE_URL_TEST'])
  const template = `portico_test_${randomUUID().replaceAll('-', '')}`
  const nodes = await clusterNodes(server.url)
  if (!nodes && process.env['TEST_ON_CITUS'])
    throw new Error('The database of DATABASE_URL_TEST lacks the extension citus.')
  const teardown = async (): Promise<void> => {
    await removeDatabases(server.url, nodes, template)
    await server.stop()
  }
  try {
    if (!nodes) await makeTemplate(server.url, template)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('testServer', { url: server.url, template, nodes })
  return teardown
}

async function openServer(url: string | undefined): Promise<{ url: string; stop: () => Promise<void> }> {
  if (url) return { url, stop: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  const server = await startEmbeddedPostgres(folder, { info: () => {} }, { durable: false })
  const stop = async (): Promise<void> => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const cluster = await findCluster(folder)
  if (!cluster) throw new Error('the server of the tests has no folder')
  // The portal's role makes no databases; tests make one each, and drop it while it may be vacuumed.
  const maintenance = superuserUrl(cluster, Number(new URL(server.url).port), 'postgres')
  await onDatabase(maintenance, async (client) => {
    await client.query(`ALTER ROLE ${ownerRole} CREATEDB`)
    await client.query(`GRANT pg_signal_backend TO ${ownerRole}`)
  })
  return { url: server.url, stop }
}

async function makeTemplate(server: string, template: string): Promise<void> {
  await onDatabase(server, (client) => client.query(`CREATE DATABASE ${template}`))
  await migrate(withDatabase(server, template))
  // PostgreSQL copies only databases without connections.
  await onDatabase(server, (client) => client.query(`ALTER DATABASE ${template} ALLOW_CONNECTIONS false`))
}

/** Drops the template, and the databases left over by tests. */
async function removeDatabases(server: string, nodes: string[] | null, template: string): Promise<void> {
  const { rows } = await onDatabase(server, (client) =>
    client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [template]),
  )
  for (const { datname } of rows) await dropOnCluster(nodes ?? [server], datname)
}
