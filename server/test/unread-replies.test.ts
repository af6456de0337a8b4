import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '../src/app.ts'
import { requestLimits } from '../src/platform/http/slow-requests.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Each reply has 20 MB, more than the buffers of the system hold.

const megabyte = 1024 * 1024
const [mine, theirs, third, fourth] = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'] as const
const large = '/contact-service/v1/offers?limit=20'
const small = '/contact-service/v1/offers?limit=1&select=Name'

let portal: TestPortal
let app: FastifyInstance
/** Ends slow readers quickly. */
let hurried: FastifyInstance
let members: Member[]
let opened: Socket[] = []

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  const rows = Array.from({ length: 20 }, (_, at) => ({ Name: `n${at}`, Large: 'x'.repeat(megabyte) }))
  await addContacts(portal.parts.database, account, { Name: 'string', Large: 'string' }, rows)
  members = []
  for (let count = 0; count < 4; count++) members.push(await portal.member(account))
  const unread = { ofPerson: 30, ofNetwork: 50, inAll: 70, ofLargeOnes: 62 }
  const bytes = Object.fromEntries(Object.entries(unread).map(([of, most]) => [of, most * megabyte]))
  app = await buildApp(portal.parts, { ...requestLimits, unread: { ...requestLimits.unread, ...bytes } })
  hurried = await buildApp(portal.parts, { ...requestLimits, pace: { leastBytes: 2 * megabyte, withinMs: 600 } })
  for (const each of [app, hurried]) await each.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  for (const socket of opened) socket.destroy()
  await vi.waitFor(async () => {
    if ((await connectionsOf()) > 0) throw new Error('connections are open')
  }, 10_000)
  opened = []
})
afterAll(async () => {
  await app.close()
  await hurried.close()
  await portal.close()
})

const connectionsOf = async ({ server } = app) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

/** Sends a request as a member; nothing of the reply is read. */
async function ask(path: string, by = 0, from: string = mine, { headers = '', of = app } = {}): Promise<Socket> {
  const { port } = of.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  opened.push(socket)
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(
    `GET /api${path} HTTP/1.1\r\nhost: portal\r\nconnection: close\r\nauthorization: Bearer ${members[by]?.token}\r\n${headers}\r\n`,
  )
  return socket
}

/** Reads a reply and returns its status. */
async function statusOf(...asking: Parameters<typeof ask>): Promise<number> {
  return Number((await text(await ask(...asking))).slice(9, 12))
}

/** Sends a request, and waits until the reply is being sent. */
async function hold(...asking: Parameters<typeof ask>): Promise<Socket> {
  const socket = await ask(...asking)
  await once(socket, 'readable')
  return socket
}

test('a person with an unread large reply gets no other one, but small ones; other persons do', async () => {
  const held = await hold(large)
  const refused = await text(await ask(large))
  expect(refused).toMatch(/^HTTP\/1\.1 429 /)
  expect(refused).toMatch(/\r\nretry-after: 5\r\n/)
  expect(refused).toContain('"too_many_requests"')
  expect(await statusOf(large, 0, theirs)).toBe(429)
  expect(await statusOf(small)).toBe(200)
  expect(await statusOf(large, 1)).toBe(200)
  expect((await text(held)).length).toBeGreaterThan(20 * megabyte)
  expect(await statusOf(large)).toBe(200)
}, 60_000)

test('a compressed reply counts as well', async () => {
  await hold(large)
  expect(await statusOf(large, 0, mine, { headers: 'accept-encoding: gzip\r\n' })).toBe(429)
}, 60_000)

test('a network with unread large replies gets no other one, and other networks do', async () => {
  await hold(large, 0)
  await hold(large, 1)
  expect(await statusOf(large, 2)).toBe(429)
  expect(await statusOf(large, 2, theirs)).toBe(200)
}, 60_000)

test('at the total limit of unread replies, large ones are refused and small ones are sent', async () => {
  for (const [by, from] of [mine, theirs, third].entries()) await hold(large, by, from)
  const refused = await text(await ask(large, 3, fourth))
  expect(refused).toMatch(/^HTTP\/1\.1 503 /)
  expect(refused).toMatch(/\r\nretry-after: 5\r\n/)
  expect(await statusOf('/contact-service/v1/fields', 3, fourth)).toBe(200)
}, 60_000)

test('a client that disconnects frees what it did not read', async () => {
  const held = await hold(large)
  held.destroy()
  await expect.poll(() => connectionsOf()).toBe(0)
  expect(await statusOf(large)).toBe(200)
}, 60_000)

test('a reply that the client reads too slowly is ended', async () => {
  await ask(large, 0, mine, { of: hurried })
  await expect.poll(() => connectionsOf(hurried)).toBe(1)
  await expect.poll(() => connectionsOf(hurried), { timeout: 10_000 }).toBe(0)
}, 60_000)
