import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newStorageKey } from '#files'
import type { LinkGrant } from '#platform/storage.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { downloadLimits, openDownloads } from './open-downloads.ts'

let portal: TestPortal
let keys: string[]
let opened: Socket[] = []

beforeAll(async () => {
  portal = await startPortal()
  await portal.app.listen({ host: '127.0.0.1', port: 0 })
  const account = await portal.account()
  keys = [newStorageKey(account, 'exports'), newStorageKey(account, 'exports')]
  // More than the operating system buffers.
  for (const key of keys) await portal.parts.storage.put(key, Readable.from(Array(20).fill(Buffer.alloc(1024 * 1024))))
})
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
})
afterAll(() => portal.close())

/** Requests a file without reading the response. */
async function download(key = keys[0] ?? '', range = ''): Promise<Socket> {
  const { port } = portal.app.server.address() as AddressInfo
  const link = await portal.parts.storage.downloadUrl(key, { expiresInSeconds: 60 })
  const socket = connect(port, '127.0.0.1')
  opened.push(socket)
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET ${link} HTTP/1.1\r\nhost: portal\r\nconnection: close\r\n${range}\r\n`)
  await once(socket, 'readable')
  return socket
}

/** The first bytes of a file. */
const start = async (key?: string) => text(await download(key, 'range: bytes=0-9\r\n'))

test('a file can have twenty unread downloads, and another only after one has ended', async () => {
  const held: Socket[] = []
  for (let count = 0; count < downloadLimits.ofFile; count++) held.push(await download())
  const refused = await start()
  expect(refused).toMatch(/^HTTP\/1\.1 429 /)
  expect(refused).toMatch(/\r\nretry-after: 30\r\n/)
  expect(refused).toContain('"too_many_requests"')
  expect(await start(keys[1])).toMatch(/^HTTP\/1\.1 206 /)
  held[0]?.destroy()
  await expect.poll(() => start()).toMatch(/^HTTP\/1\.1 206 /)
}, 30_000)

test('completed downloads do not count', async () => {
  for (let count = 0; count < downloadLimits.ofFile + 5; count++) {
    await expect.poll(() => start()).toMatch(/^HTTP\/1\.1 206 /)
  }
}, 30_000)

const grant = (person: string): LinkGrant => ({
  holder: `session ${person}`,
  account: 1,
  access: 'account',
  request: null,
})
const one = (key: string, person: string) => ({ key, grant: grant(person) })
const limits = { ofFile: 2, ofPerson: 3, ofNetwork: 4, inAll: 5 }

test('the links of a person share one limit of downloads across all clients', () => {
  const { begin } = openDownloads(limits)
  const end = begin(one('a', 'ada'), '192.0.2.1')
  begin(one('b', 'ada'), '192.0.2.2')
  begin(one('c', 'ada'), '192.0.2.3')
  expect(() => begin(one('d', 'ada'), '192.0.2.4')).toThrow('Too many downloads')
  begin(one('d', 'bob'), '192.0.2.4')
  end()
  begin(one('d', 'ada'), '192.0.2.5')
})

test('a network has a limit of downloads across all files', () => {
  const { begin } = openDownloads(limits)
  for (const at of ['1', '2', '3', '4']) begin(one(at, at), `2001:db8::${at}`)
  expect(() => begin(one('5', '5'), '2001:db8::5')).toThrow('Too many downloads')
  begin(one('5', '5'), '2001:db8:1::5')
  expect(() => begin(one('6', '6'), '2001:db8:2::5')).toThrow('not available')
})
