import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findCluster } from './cluster.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { findRunning, settled } from './process.ts'

test('a server that hangs while it stops does not block the next start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-stopping-'))
  const dataDir = join(folder, 'data')
  const log = { info: () => {} }
  try {
    const first = await startEmbeddedPostgres(dataDir, log, { durable: false })
    const client = new pg.Client({ connectionString: first.url })
    client.on('error', () => {})
    await client.connect()
    const cluster = (await findCluster(dataDir))?.folder ?? ''
    // A smart shutdown waits until all clients have disconnected.
    process.kill((await findRunning(cluster))?.pid ?? 0, 'SIGTERM')
    await expect.poll(async () => (await findRunning(cluster))?.status).toBe('stopping')
    expect(await settled(cluster, 300)).toBeNull()
    await client.end().catch(() => {})

    const next = await startEmbeddedPostgres(dataDir, log, { durable: false })
    const again = new pg.Client({ connectionString: next.url })
    await again.connect()
    expect((await again.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await again.end()
    await next.stop()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
