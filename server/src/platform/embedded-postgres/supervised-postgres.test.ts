import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../log.ts'
import { findCluster, superuserUrl } from './cluster.ts'
import { endOrphans } from './process.ts'
import { superviseEmbeddedPostgres } from './supervised-postgres.ts'

let dataDir: string
beforeEach(async ({ onTestFinished }) => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-supervised-'))
  // Runs after the test has stopped its server, which happens after all `afterEach` hooks.
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function postmaster(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0])
}

test('a crash right after the rollback of an unlogged table is reported once', { timeout: 60_000 }, async () => {
  const log = createLog({ level: 'silent' })
  const errors = vi.spyOn(log, 'error')
  const onLost = vi.fn<(error: Error) => void>()
  const server = await superviseEmbeddedPostgres(dataDir, log, { onLost })
  onTestFinished(server.stop)
  const found = await findCluster(dataDir)
  if (!found) throw new Error('no cluster')
  const superuser = await connect(superuserUrl(found, Number(new URL(server.url).port), 'portico'))
  const [one, other] = [await connect(server.url), await connect(server.url)]

  await one.query('CREATE SCHEMA work')
  await one.query('BEGIN')
  await one.query('CREATE UNLOGGED TABLE work.stage (n int)')
  // Flushes the log up to here; the process that would write later entries is stopped.
  await other.query('CREATE TABLE work.kept (n int)')
  const { rows } = await superuser.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'",
  )
  const logWriter = rows[0]?.pid ?? 0
  process.kill(logWriter, 'SIGSTOP')
  await one.query('ROLLBACK')
  const before = await postmaster()
  process.kill(before, 'SIGKILL')
  process.kill(logWriter, 'SIGKILL')
  await vi.waitUntil(() => !existsSync(`/proc/${before}`), { timeout: 5000 })

  const again = await vi.waitFor(() => connect(server.url), { timeout: 20_000, interval: 100 })
  expect((await again.query('SELECT n FROM work.kept')).rows).toEqual([])
  expect(await readFile(join(dataDir, 'postgres/log'), 'utf8')).toMatch(/could not create file "base\/.*": File exists/)
  expect(errors).toHaveBeenCalledTimes(1)
  expect(onLost).not.toHaveBeenCalled()
  await again.end()
})

test('a server that was just started by another portal is not treated as a leftover', async () => {
  const onLost = vi.fn<(error: Error) => void>()
  const server = await superviseEmbeddedPostgres(dataDir, createLog({ level: 'silent' }), { onLost, durable: false })
  onTestFinished(server.stop)
  const client = await connect(server.url)
  await endOrphans(join(dataDir, 'postgres/cluster'))
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await client.end()
})
