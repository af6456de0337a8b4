import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findCluster, ownerRole, superuserUrl } from '#platform/embedded-postgres/cluster.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { startJobs } from '#platform/jobs/jobs.ts'
import { createLog } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'
import { jobKinds } from '../../src/worker.ts'
import { addSpareSchemas } from './spare-accounts.ts'
import { clusterNodes, closeOnCluster, createOnCluster, dropOnCluster, onDatabase, withDatabase } from './cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database for commands, the migrated template of all test databases, and the servers: several with Citus. */
    testServer: { url: string; template: string; nodes: string[] }
  }
}

const silent = createLog({ level: 'silent' })

/** Starts one PostgreSQL for the whole run, or uses DATABASE_URL_TEST. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await openServer(process.env['DATABASE_URL_TEST'])
  const template = `portico_test_${randomUUID().replaceAll('-', '')}`
  const cluster = await clusterNodes(server.url)
  if (!cluster && process.env['TEST_ON_CITUS'])
    throw new Error('The database of DATABASE_URL_TEST lacks the extension citus.')
  const nodes = cluster ?? [server.url]
  const teardown = async (): Promise<void> => {
    await removeDatabases(server.url, nodes, template)
    await server.stop()
  }
  try {
    if (cluster) await createOnCluster(nodes, template)
    else await onDatabase(server.url, (client) => client.query(`CREATE DATABASE ${template}`))
    await migrate(withDatabase(server.url, template))
    // Otherwise each portal of a test would create the queue's tables. On a cluster it still does.
    if (!cluster) await (await startJobs(withDatabase(server.url, template), jobKinds, silent)).stop()
    // PostgreSQL cannot rename a distributed schema.
    if (!cluster) await onDatabase(withDatabase(server.url, template), addSpareSchemas)
    await onDatabase(withDatabase(server.url, template), vacuumCatalogs)
    await closeOnCluster(nodes, template)
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
  // The portal's role cannot create databases; each test creates one, and drops it even while it is vacuumed.
  const maintenance = superuserUrl(cluster, Number(new URL(server.url).port), 'postgres')
  await onDatabase(maintenance, async (client) => {
    await client.query(`ALTER ROLE ${ownerRole} CREATEDB`)
    await client.query(`GRANT pg_signal_backend TO ${ownerRole}`)
  })
  return { url: server.url, stop }
}

/** Removes the traces of all changes from the catalogs, which each connection to each copy would read again. */
async function vacuumCatalogs(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared`,
  )
  for (const { name } of rows) await client.query(`VACUUM (FREEZE) ${name}`)
}

/** Drops the template, and the databases left by tests. */
async function removeDatabases(server: string, nodes: string[], template: string): Promise<void> {
  const { rows } = await onDatabase(server, (client) =>
    client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [template]),
  )
  for (const { datname } of rows) await dropOnCluster(nodes, datname)
}
