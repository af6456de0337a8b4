import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endSlowReaders, type ReplyPace } from './reply-pace.ts'

const megabyte = 1024 * 1024
const chunk = Buffer.alloc(64 * 1024, 'x')

let server: Server
let socket: Socket

/**
 * Starts a server and connects to it. Its replies exceed the buffers of the system, in parts or as a whole; `/late`
 * sends nothing for some time.
 */
async function start(pace: ReplyPace): Promise<void> {
  server = createServer((request, response) => {
    if (request.url === '/late') setTimeout(() => response.end('late'), 1500)
    else if (request.url === '/whole') response.end(Buffer.alloc(60 * megabyte, 'x'))
    else Readable.from(chunks(60 * megabyte)).pipe(response)
  })
  endSlowReaders(server, pace)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
}

async function stop(): Promise<void> {
  socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

beforeEach(() => start({ leastBytes: megabyte, withinMs: 600 }))
afterEach(stop)

function* chunks(bytes: number): Generator<Buffer> {
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
}

const connections = async () =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

test.each(['/streamed', '/whole'])(
  'a reply that the client does not read is ended with its connection: %s',
  async (path) => {
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nhost: portal\r\n\r\n`)
    await expect.poll(connections, { timeout: 10_000 }).toBe(0)
  },
)

test('a reply that the client reads too slowly is ended', async () => {
  socket.pause()
  socket.write('GET /streamed HTTP/1.1\r\nhost: portal\r\n\r\n')
  const reading = setInterval(() => socket.read(4 * 1024), 20)
  await expect.poll(connections, { timeout: 10_000 }).toBe(0)
  clearInterval(reading)
})

test('a reply that the client reads slowly but fast enough is sent completely', async () => {
  await stop()
  // Far from the pace below, as a busy machine reads in bursts.
  await start({ leastBytes: chunk.length, withinMs: 1500 })
  socket.write('GET /streamed HTTP/1.1\r\nhost: portal\r\nconnection: close\r\n\r\n')
  let bytes = 0
  for await (const read of socket as AsyncIterable<Buffer>) {
    bytes += read.length
    // At most 30 MB a second.
    await sleep(read.length / 30_000)
  }
  expect(bytes).toBeGreaterThan(60 * megabyte)
}, 30_000)

test('a late reply and an idle connection are not ended', async () => {
  socket.write('GET /late HTTP/1.1\r\nhost: portal\r\n\r\n')
  await once(socket, 'data')
  await sleep(1500)
  expect(await connections()).toBe(1)
})
