import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findCluster, ownerRole, superuserUrl } from '#platform/embedded-postgres/cluster.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '#platform/migrations.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database for commands, and the migrated template of all test databases. */
    testServer: { url: string; template: string }
  }
}

/** Starts one PostgreSQL for the whole run, or uses DATABASE_URL_TEST. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await openServer(process.env['DATABASE_URL_TEST'])
  const template = `portico_test_${randomUUID().replaceAll('-', '')}`
  const teardown = async (): Promise<void> => {
    await removeDatabases(server.url, template)
    await server.stop()
  }
  try {
    await makeTemplate(server.url, template)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('testServer', { url: server.url, template })
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
  // The portal's role makes no databases; tests make one each.
  const maintenance = superuserUrl(cluster, Number(new URL(server.url).port), 'postgres')
  await commands(maintenance, async () => [`ALTER ROLE ${ownerRole} CREATEDB`])
  return { url: server.url, stop }
}

async function makeTemplate(server: string, template: string): Promise<void> {
  const url = new URL(server)
  url.pathname = `/${template}`
  await commands(server, async () => [`CREATE DATABASE ${template}`])
  await migrate(url.href)
  // PostgreSQL copies only databases without connections.
  await commands(server, async () => [`ALTER DATABASE ${template} ALLOW_CONNECTIONS false`])
}

/** Drops the template, and copies left over by tests. */
async function removeDatabases(server: string, template: string): Promise<void> {
  await commands(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [template],
    )
    return rows.map(({ datname }) => `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(datname)} WITH (FORCE)`)
  })
}

async function commands(url: string, list: (client: pg.Client) => Promise<string[]>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'portico tests' })
  await client.connect()
  try {
    for (const text of await list(client)) await client.query(text)
  } finally {
    await client.end()
  }
}
