import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLimitedServer } from './limited-server.ts'
import { requestLimits } from './slow-requests.ts'

type Held = { path: string; reply: () => void }

let server: Server
let socket: Socket
/** The requests that were handed over, in order; the test decides when each gets its reply. */
let held: Held[]

beforeEach(async () => {
  held = []
  const hold = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? ''
    held.push({ path, reply: () => response.end(`served ${path};`) })
  }
  server = createLimitedServer(hold, requestLimits, () => false)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  // A connection that is ended may be reset.
  socket.on('error', () => {})
  await once(socket, 'connect')
})
afterEach(async () => {
  socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nhost: portal\r\n${headers}\r\n`
const paths = () => held.map(({ path }) => path)

test('pipelined requests are handled one at a time, with replies in order', async () => {
  socket.write(get('/1') + get('/2') + get('/3', 'connection: close\r\n'))
  for (const count of [1, 2, 3]) {
    await expect.poll(() => held.length).toBe(count)
    held.at(-1)?.reply()
  }
  expect((await text(socket)).match(/served \/\d/g)).toEqual(['served /1', 'served /2', 'served /3'])
})

test.each([
  ['of pages', ''],
  ['with bodies', 'content-length: 0\r\n'],
  ['with an unknown expectation', 'expect: more\r\n'],
])(
  'a connection that sends a thousand %s in one write is closed, and at most one is handled',
  async (_what, headers) => {
    socket.write(get('/first') + get('/many', headers).repeat(1000))
    socket.resume()
    await once(socket, 'close')
    expect(paths()).toEqual(['/first'])
  },
)

test('requests sent one by one also count until a reply is sent', async () => {
  socket.resume()
  for (const path of ['/1', '/2', '/3', '/4']) {
    socket.write(get(path))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await expect.poll(() => socket.destroyed).toBe(true)
  expect(paths()).toEqual(['/1'])
})

test('a keep-alive connection, as proxies use, serves any number of requests in turn', async () => {
  for (let at = 0; at < 100; at++) {
    socket.write(get(`/${at}`))
    await expect.poll(() => held.length, { interval: 1 }).toBe(at + 1)
    const arrived = once(socket, 'data')
    held.at(-1)?.reply()
    await arrived
  }
  expect(socket.destroyed).toBe(false)
})

test('requests sent after one that closes the connection are not handled', async () => {
  socket.write(get('/last', 'connection: close\r\n') + get('/more'))
  await expect.poll(() => held.length).toBe(1)
  held[0]?.reply()
  await text(socket)
  expect(paths()).toEqual(['/last'])
})

test('waiting requests are not handled once the client has left', async () => {
  socket.write(get('/1') + get('/2'))
  await expect.poll(() => held.length).toBe(1)
  socket.destroy()
  await expect
    .poll(async () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))))
    .toBe(0)
  expect(paths()).toEqual(['/1'])
})
