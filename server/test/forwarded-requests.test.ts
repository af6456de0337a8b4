import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newStorageKey } from '#files'
import { buildApp } from '../src/app.ts'
import { requestLimits } from '../src/platform/http/slow-requests.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const proxy = '127.0.0.9'
const [mine, theirs] = ['203.0.113.7', '198.51.100.9'] as const

let portal: TestPortal
let member: Member
let app: FastifyInstance
let link: string
const opened: Socket[] = []

beforeAll(async () => {
  portal = await startPortal({ trustedProxies: [proxy] })
  const account = await portal.account()
  member = await portal.member(account)
  app = await buildApp(portal.parts, { ...requestLimits, connectionsOfNetwork: 3 })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const key = newStorageKey(account, 'exports')
  await portal.parts.storage.put(key, Readable.from(Array(20).fill(Buffer.alloc(1024 * 1024))))
  link = await portal.parts.storage.downloadUrl(key, { expiresInSeconds: 600 })
})
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
})
afterAll(async () => {
  await app.close()
  await portal.close()
})

/** Sends a request through the proxy for an address; nothing of the reply is read. */
async function ask(path: string, forwarded: string, headers = ''): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress: proxy })
  opened.push(socket)
  socket.on('error', () => {})
  socket.pause()
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: portal\r\nconnection: close\r\nx-forwarded-for: ${forwarded}\r\n${headers}\r\n`,
  )
  await once(socket, 'readable')
  return socket
}

const deployment = async (forwarded: string) => text(await ask('/api/identity/v1/deployment', forwarded))

test('a forwarded address has a limited number of open requests, and others are served', async () => {
  const held: Socket[] = []
  for (let count = 0; count < 3; count++) held.push(await ask(link, mine))
  const refused = await deployment(mine)
  expect(refused).toMatch(/^HTTP\/1\.1 429 /)
  expect(refused).toMatch(/\r\nretry-after: 5\r\n/)
  expect(refused).toMatch(/\r\nx-content-type-options: nosniff\r\n/)
  expect(await deployment(theirs)).toMatch(/^HTTP\/1\.1 200 /)
  // The proxy's own request, which forwards no address.
  expect(await deployment(proxy)).toMatch(/^HTTP\/1\.1 200 /)
  held[0]?.destroy()
  await expect.poll(() => deployment(mine)).toMatch(/^HTTP\/1\.1 200 /)
}, 30_000)

test('pages that follow changes do not count as open requests', async () => {
  const headers = `authorization: Bearer ${member.token}\r\naccept: text/event-stream\r\n`
  for (let count = 0; count < 5; count++) await ask('/api/contact-service/v1/changes', mine, headers)
  expect(await deployment(mine)).toMatch(/^HTTP\/1\.1 200 /)
}, 30_000)
