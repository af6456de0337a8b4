import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findCluster } from './cluster.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { findRunning } from './process.ts'
import { clusterState, refusesConnections } from './recovery.ts'

// A server that is recovering from the crash of one of its processes is stopped differently: it responds with 57P03.

const peers: Server[] = []
afterEach(() => {
  for (const peer of peers.splice(0)) peer.close()
})

/** Listens like a PostgreSQL server that responds to each new connection with these bytes. */
async function answering(answer: string): Promise<number> {
  const peer = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(answer, 'latin1'))
  })
  peers.push(peer)
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
  const address = peer.address()
  return typeof address === 'object' && address ? address.port : 0
}

const errorWith = (code: string): string => `E\0\0\0\x40SFATAL\0VFATAL\0C${code}\0Mthe database system is busy\0\0`

test.each([
  ['in recovery', errorWith('57P03'), true],
  ['with too many connections', errorWith('53300'), false],
  ['that asks for a password', 'R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', false],
  ['that says nothing', '', false],
])('detects whether a server %s refuses connections', async (_name, answer, isRefusal) => {
  expect(await refusesConnections(await answering(answer))).toBe(isRefusal)
})

test('a port without a listener does not refuse connections', async () => {
  const port = await answering('')
  await new Promise((resolve) => peers.pop()?.close(resolve))
  expect(await refusesConnections(port)).toBe(false)
})

test('a running server accepts connections and is not in recovery, nor is a stopped one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-recovery-'))
  const server = await startEmbeddedPostgres(dataDir, { info: () => {} }, { durable: false })
  const cluster = (await findCluster(dataDir))?.folder ?? ''
  const running = await findRunning(cluster)
  expect(await refusesConnections(running?.port ?? 0)).toBe(false)
  expect(await clusterState(cluster)).toBe('other')
  await server.stop()
  expect(await clusterState(cluster)).toBe('other')
  expect(await clusterState(join(dataDir, 'none'))).toBe('other')
  await rm(dataDir, { recursive: true, force: true })
})
