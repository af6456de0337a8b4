import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readlink } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Storage } from '#platform/storage.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { findUpload, newStorageKey } from '#files'

// Through a listening server, to test the flow of bytes and interruptions.

const megabyte = 1024 * 1024
let portal: TestPortal
let storage: Storage
let address: string
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  storage = portal.parts.storage
  address = await portal.app.listen({ host: '127.0.0.1', port: 0 })
  member = await portal.member(await portal.account())
})

afterEach(() => {
  vi.useRealTimers()
})

afterAll(() => portal.close())

async function linkFor(fileName: string): Promise<string> {
  const reply = await member.get(`/contact-service/v1/uploads/${fileName}`)
  return reply.json<{ url: string }>().url
}

type Answer = { status: number | undefined; body: string }

/** An upload whose bytes the test sends itself. */
function openUpload(url: string): { client: ClientRequest; answer: Promise<Answer> } {
  const client = request(address + url, { method: 'PUT' })
  const answer = new Promise<Answer>((resolve, reject) => {
    client.on('error', reject)
    client.on('response', (reply) => {
      text(reply).then((body) => resolve({ status: reply.statusCode, body }), reject)
    })
  })
  // An upload interrupted on purpose fails; tests that need the error await it.
  answer.catch(() => {})
  return { client, answer }
}

const openConnections = promisify((done: (error: Error | null, count: number) => void) =>
  portal.app.server.getConnections(done),
)

async function send(url: string, content: Iterable<Buffer>): Promise<Answer> {
  const { client, answer } = openUpload(url)
  Readable.from(content, { objectMode: false }).pipe(client)
  // Node's client stops sending once it has the response, and would stay open.
  return answer.finally(() => client.destroy())
}

/** Sends everything before reading the response, as simple clients do. Returns the status line. */
async function sendBlindly(url: string, megabytesToSend: number): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  const answer = once(socket, 'data')
  socket.write(`PUT ${url} HTTP/1.1\r\nhost: portal\r\ncontent-length: ${megabytesToSend * megabyte}\r\n\r\n`)
  await pipeline(Readable.from(megabytes(megabytesToSend), { objectMode: false }), socket, { end: false })
  const [head] = (await answer) as [Buffer]
  socket.destroy()
  return head.toString().split('\r\n')[0] ?? ''
}

function* megabytes(count: number): Generator<Buffer> {
  const block = randomBytes(megabyte)
  for (let n = 0; n < count; n++) yield block
}

const filesOnDisk = async (): Promise<string[]> => {
  const folder = join(portal.config.dataDir, 'files', String(member.account), 'uploads')
  return existsSync(folder) ? (await readdir(folder)).toSorted() : []
}

// Clients run in a separate process, to measure only the portal's memory. Each fails on any error.
const sendZeros = `(url, bytes) => {
  const upload = require('node:http').request(url, { method: 'PUT' })
  upload.on('response', (reply) => process.exit(reply.statusCode === 200 ? 0 : 1))
  const zeros = function* () { for (let n = 0; n < bytes; n += 65536) yield Buffer.alloc(65536) }
  require('node:stream').Readable.from(zeros(), { objectMode: false }).pipe(upload)
}`
const countBytes = `async (url, bytes) => {
  let count = 0
  for await (const chunk of (await fetch(url)).body) count += chunk.length
  process.exit(count === bytes ? 0 : 1)
}`

async function client(script: string, url: string, bytes: number): Promise<void> {
  const child = spawn(process.execPath, ['-e', `(${script})(${JSON.stringify(url)}, ${bytes})`])
  const [exitCode] = (await once(child, 'exit')) as [number | null]
  expect(exitCode).toBe(0)
}

/** Peak memory growth of the process while `work` ran, in bytes. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let highest = before
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }, 5)
  await work()
  clearInterval(sampling)
  return highest - before
}

describe('a large file', () => {
  test('is streamed in and out without being held in memory', async () => {
    // Warm-up: memory that files of any size need is allocated before measuring.
    await client(sendZeros, address + (await linkFor('warm-up.csv')), 30 * megabyte)
    const url = address + (await linkFor('large.csv'))
    const growthIn = await growthDuring(() => client(sendZeros, url, 100 * megabyte))
    const upload = await findUpload(portal.parts.database.db, storage, member.account, {
      fileName: 'large.csv',
      by: null,
    })
    expect(upload?.sizeBytes).toBe(100 * megabyte)
    expect(growthIn).toBeLessThan(60 * megabyte)

    const download = address + (await storage.downloadUrl(upload?.storageKey ?? '', { expiresInSeconds: 60 }))
    const growthOut = await growthDuring(() => client(countBytes, download, 100 * megabyte))
    expect(growthOut).toBeLessThan(60 * megabyte)
  })

  test('waits for a slow reader', async () => {
    const key = newStorageKey(member.account, 'exports')
    await storage.put(key, Readable.from(megabytes(100)))
    const url = address + (await storage.downloadUrl(key, { expiresInSeconds: 60 }))
    const growth = await growthDuring(async () => {
      const client = request(url)
      client.on('response', (reply) => reply.pause())
      client.on('error', () => {})
      client.end()
      // Long enough for a portal without backpressure to have read all of it.
      await wait(700)
      client.destroy()
    })
    expect(growth).toBeLessThan(40 * megabyte)
    await vi.waitFor(async () => expect(await openFiles()).toEqual([]))
  })
})

/** Files of the storage that this process holds open (Linux only). */
async function openFiles(): Promise<string[]> {
  if (!existsSync('/proc/self/fd')) return []
  const targets = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return targets.filter((target) => target.startsWith(portal.config.dataDir))
}

describe('an interrupted upload', () => {
  test('leaves nothing behind, and its link can be used again', async () => {
    const before = await filesOnDisk()
    const url = await linkFor('broken.csv')
    const { client } = openUpload(url)
    client.write(randomBytes(megabyte))
    await vi.waitFor(async () => expect(await filesOnDisk()).toHaveLength(before.length + 1))
    client.destroy()
    await vi.waitFor(async () => expect(await filesOnDisk()).toEqual(before))
    expect(
      await findUpload(portal.parts.database.db, storage, member.account, { fileName: 'broken.csv', by: null }),
    ).toBeNull()
    expect(await openFiles()).toEqual([])
    expect((await send(url, megabytes(1))).status).toBe(200)
  })

  test('leaves nothing behind when it is shorter than announced', async () => {
    const before = await filesOnDisk()
    const { client } = openUpload(await linkFor('short.csv'))
    client.setHeader('content-length', 10 * megabyte)
    client.write(randomBytes(megabyte))
    await vi.waitFor(async () => expect(await filesOnDisk()).toHaveLength(before.length + 1))
    client.socket?.end()
    await vi.waitFor(async () => expect(await filesOnDisk()).toEqual(before))
    expect(
      await findUpload(portal.parts.database.db, storage, member.account, { fileName: 'short.csv', by: null }),
    ).toBeNull()
  })
})

describe('a refused upload', () => {
  test('gets its response regardless of how much the client still sends', async () => {
    const before = await filesOnDisk()
    const url = (await linkFor('refused.csv')).replace(/signature=.*/, 'signature=wrong')
    const answer = await send(url, megabytes(50))
    expect(answer.status).toBe(403)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'link_invalid' } })
    expect(await sendBlindly(url, 50)).toBe('HTTP/1.1 403 Forbidden')
    expect(await filesOnDisk()).toEqual(before)
  })

  // An error event without a listener ends the process, and fails the run of these tests.
  test('can be aborted safely before it starts and after its response', async () => {
    const uncaught = vi.fn<() => void>()
    process.on('uncaughtExceptionMonitor', uncaught)
    const url = await linkFor('used.csv')
    expect((await send(url, megabytes(1))).status).toBe(200)
    const { client, answer } = openUpload(url)
    client.setHeader('content-length', 10 * megabyte)
    client.write(randomBytes(megabyte))
    expect((await answer).status).toBe(403)
    client.destroy()
    for (let time = 0; time < 10; time++) {
      const early = openUpload(await linkFor('early.csv'))
      early.client.setHeader('content-length', 10 * megabyte)
      early.client.write('a', () => early.client.destroy())
      await early.answer.catch(() => {})
    }
    await vi.waitFor(async () => {
      portal.app.server.closeIdleConnections()
      expect(await openConnections()).toBe(0)
    })
    process.off('uncaughtExceptionMonitor', uncaught)
    expect(uncaught).not.toHaveBeenCalled()
  })

  test('reports a full disk and leaves nothing behind', async ({ skip, onTestFinished }) => {
    const account = await portal.account()
    const folder = join(portal.config.dataDir, 'files', String(account), 'uploads')
    await mkdir(folder, { recursive: true })
    const { status } = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder])
    if (status !== 0) skip('making a small disk takes root')
    onTestFinished(() => void spawnSync('/bin/umount', [folder]))
    const key = newStorageKey(account, 'uploads')
    const url = await storage.uploadUrl(key, { expiresInSeconds: 60 })
    const answer = await send(url, megabytes(20))
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.body)).toEqual({
      error: { code: 'unavailable', message: 'There is not enough disk space for this file.' },
    })
    expect(await readdir(folder)).toEqual([])
    expect(await sendBlindly(url, 50)).toBe('HTTP/1.1 503 Service Unavailable')
    expect(await readdir(folder)).toEqual([])
  })
})
