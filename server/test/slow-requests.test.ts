import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { buildApp } from '../src/app.ts'
import { requestLimits } from '../src/platform/http/slow-requests.ts'

let portal: TestPortal
let member: Member
let app: FastifyInstance
let port: number

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  app = await buildApp(portal.parts, {
    ...requestLimits,
    headersMs: 300,
    bodyMs: 300,
    callerMs: 100,
    connections: 5,
    connectionsOfNetwork: 4,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterAll(async () => {
  await app.close()
  await portal.close()
})

async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  // A connection beyond the limit is reset.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const head = (method: string, path: string, headers: string) =>
  `${method} /api${path} HTTP/1.1\r\nhost: portal\r\nauthorization: Bearer ${member.token}\r\n${headers}\r\n`

const noToken = (method: string, path: string, headers: string) =>
  head(method, path, headers).replace(/authorization: .*\r\n/, '')

const json = 'content-type: application/json\r\ncontent-length: 100\r\n'

test.each([
  ['to a call', () => head('POST', '/contact-service/v1/rdls', json)],
  ['to a call that takes large bodies', () => head('POST', '/contact-service/v1/dashboards', json)],
  ['to a call without a sign-in', () => head('POST', '/identity/v1/login', json)],
  ['of pages of other sites', () => head('POST', '/contact-service/v1/public/1/events', json)],
  ['to an address that does not exist', () => head('POST', '/nothing', json)],
  [
    'in chunks',
    () =>
      `${head('POST', '/identity/v1/login', 'content-type: application/json\r\ntransfer-encoding: chunked\r\n')}1\r\n{\r\n`,
  ],
])(
  'the connection is closed if a body %s stops arriving',
  async (_what, begin) => {
    const socket = await open()
    socket.write(begin())
    const reply = await text(socket)
    expect(reply).toMatch(/^HTTP\/1\.1 408 /)
  },
  10_000,
)

test('a slow body gets 408 in the usual form of errors', async () => {
  const socket = await open()
  socket.write(head('POST', '/contact-service/v1/rdls', json))
  const [top = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  expect(top).toMatch(/^HTTP\/1\.1 408 /)
  expect(JSON.parse(body)).toEqual({
    error: { code: 'invalid_input', message: 'The request took too long to arrive.' },
  })
})

test.each([
  ['with a link that is not valid', 403, () => head('PUT', '/files/1/uploads/x?signature=y', json)],
  ['of a picture without a sign-in', 401, () => noToken('PUT', '/identity/v1/profile/photo', json)],
  ['to an address that cannot be read', 400, () => head('POST', '/%zz', json)],
  ['of a call that takes none', 200, () => head('GET', '/identity/v1/deployment', json)],
  ['with an unknown expectation', 417, () => head('POST', '/contact-service/v1/rdls', `${json}expect: more\r\n`)],
])('the connection is closed soon after a reply that precedes the end of a body %s', async (_what, status, begin) => {
  const socket = await open()
  socket.write(begin())
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

test('an upload may take longer than other bodies', async () => {
  const created = await member.get('/contact-service/v1/uploads/slow.csv')
  const { url } = created.json<{ url: string }>()
  const socket = await open()
  socket.write(`PUT ${url} HTTP/1.1\r\nhost: portal\r\nconnection: close\r\ncontent-length: 6\r\n\r\n`)
  for (const char of 'a\nb\nc\n') {
    // In total longer than any other body may take.
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.write(char)
  }
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a flood of half requests and idle connections gives way to other connections', async () => {
  const flood: Socket[] = []
  for (const address of ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2']) {
    const socket = await open(address)
    socket.write('GET / HTTP/1.1\r\nhost: por')
    flood.push(socket)
  }
  const other = await open('127.0.0.3')
  other.write(head('GET', '/identity/v1/deployment', 'connection: close\r\n'))
  expect(await text(other)).toMatch(/^HTTP\/1\.1 200 /)
  for (const socket of flood) socket.destroy()
})
