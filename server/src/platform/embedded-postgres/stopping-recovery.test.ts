import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findCluster } from './cluster.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { findRunning, settled } from './process.ts'

// A server that recovers from the crash of one of its processes hangs for good when it is asked to stop (PostgreSQL 18).

let dataDir: string
let cluster: string
let server: EmbeddedPostgres

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-recovering-'))
  server = await startEmbeddedPostgres(dataDir, { info: () => {} }, { durable: false })
  cluster = (await findCluster(dataDir))?.folder ?? ''
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** The process of a server that replays the log; null while there is none. */
async function replaying(postmaster: number): Promise<number | null> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [stat, title] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    )
    // `1234 (postgres) S 1 …`: state and parent.
    const parent = Number(stat?.slice(stat.lastIndexOf(') ') + 2).split(' ')[1])
    if (title?.startsWith('postgres: startup recovering') && parent === postmaster) return Number(pid)
  }
  return null
}

/** Kills a connection, and holds the server in the middle of its recovery. Returns both processes. */
async function crash(): Promise<{ postmaster: number; startup: number }> {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('SET synchronous_commit = on')
  await client.query('CREATE TABLE kept AS SELECT n, md5(n::text) FROM generate_series(1, 300000) AS n')
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const postmaster = (await findRunning(cluster))?.pid ?? 0
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
  const startup = await vi.waitUntil(() => replaying(postmaster), { timeout: 20_000, interval: 1 })
  process.kill(startup, 'SIGSTOP')
  await client.end().catch(() => {})
  return { postmaster, startup }
}

async function rowsAfterStart(): Promise<unknown> {
  const next = await startEmbeddedPostgres(dataDir, { info: () => {} }, { durable: false })
  const client = new pg.Client({ connectionString: next.url })
  await client.connect()
  const { rows } = await client.query('SELECT count(*)::int AS count FROM kept')
  await client.end()
  await next.stop()
  return rows
}

test.runIf(process.platform === 'linux')(
  'one that recovers from a crash is stopped within seconds',
  { timeout: 110_000 },
  async () => {
    await crash()
    const asked = performance.now()
    await server.stop()
    expect(await findRunning(cluster)).toBeNull()
    expect(performance.now() - asked).toBeLessThan(20_000)
    expect(await rowsAfterStart()).toEqual([{ count: 300_000 }])
  },
)

test.runIf(process.platform === 'linux')(
  'one that was asked to stop as it recovered does not hold up the next start',
  { timeout: 110_000 },
  async () => {
    const { postmaster, startup } = await crash()
    // As the kernel does when the process ends that started the server.
    process.kill(postmaster, 'SIGINT')
    process.kill(startup, 'SIGCONT')
    await expect.poll(async () => (await findRunning(cluster))?.status).toBe('stopping')
    const asked = performance.now()
    expect(await settled(cluster)).toBeNull()
    expect(performance.now() - asked).toBeLessThan(20_000)
    expect(await rowsAfterStart()).toEqual([{ count: 300_000 }])
  },
)
