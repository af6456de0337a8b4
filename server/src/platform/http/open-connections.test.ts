import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { limitConnections } from './open-connections.ts'

const [mine, theirs, third, proxy] = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.9']

let server: Server
const opened: Socket[] = []

/** Starts a server that replies at once, or never for `/slow`. */
async function start(connections: number, connectionsOfNetwork: number): Promise<void> {
  server = createServer((request, response) => void (request.url !== '/slow' && response.end('served')))
  limitConnections(server, { connections, connectionsOfNetwork }, (address) => address === proxy)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function open(localAddress: string, sent = ''): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  const accepted = once(server, 'connection')
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  opened.push(socket)
  // A closed connection may be reset.
  socket.on('error', () => {})
  // Without this, the socket does not notice that it is closed.
  socket.resume()
  await Promise.all([once(socket, 'connect'), accepted])
  if (sent !== '') {
    const arrived = sent.endsWith('\r\n\r\n') ? once(server, 'request') : null
    socket.write(sent)
    await arrived
  }
  return socket
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: portal\r\n\r\n`
const half = 'GET / HTTP/1.1\r\nhost: por'

async function closed(socket: Socket | undefined): Promise<void> {
  await expect.poll(() => socket?.destroyed).toBe(true)
}

/** Returns whether a request on the connection gets a reply. */
async function isServed(socket: Socket): Promise<boolean> {
  socket.write('GET / HTTP/1.1\r\nhost: portal\r\nconnection: close\r\n\r\n')
  return !socket.destroyed && (await text(socket).catch(() => '')).includes('served')
}

async function openMany(count: number, address: string, sent?: string): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let at = 0; at < count; at++) sockets.push(await open(address, sent))
  return sockets
}

describe('a network at its connection limit', () => {
  test('replaces the oldest connection that has sent nothing or half a request', async () => {
    await start(100, 3)
    const [first, second] = await openMany(3, mine, half)
    const next = await open(mine)
    expect(await isServed(next)).toBe(true)
    await closed(first)
    expect(second?.destroyed).toBe(false)
  })

  test('gets no further connection while all wait for replies, but other networks do', async () => {
    await start(100, 3)
    const busy = await openMany(3, mine, get('/slow'))
    expect(await isServed(await open(mine))).toBe(false)
    expect(await isServed(await open(theirs))).toBe(true)
    expect(busy.map(({ destroyed }) => destroyed)).toEqual([false, false, false])
    busy[0]?.destroy()
    await expect.poll(async () => isServed(await open(mine))).toBe(true)
  })

  test('closes idle connections, the longest idle first', async () => {
    await start(100, 2)
    const [first, second] = await openMany(2, mine)
    const replied = once(first as Socket, 'data')
    first?.write(get('/'))
    await replied
    expect(await isServed(await open(mine))).toBe(true)
    await closed(second)
    expect(await isServed(first as Socket)).toBe(true)
  })
})

describe('a process at its connection limit', () => {
  test('closes the oldest idle connection, so that a flood of half requests blocks no client', async () => {
    await start(6, 3)
    const halves = [...(await openMany(3, mine, half)), ...(await openMany(3, theirs, half))]
    expect(await isServed(await open(third))).toBe(true)
    await closed(halves[0])
    expect(halves.slice(1).map(({ destroyed }) => destroyed)).toEqual([false, false, false, false, false])
  })

  test('accepts no further connection while all wait for replies', async () => {
    await start(4, 2)
    await openMany(2, mine, get('/slow'))
    const [busy] = await openMany(2, theirs, get('/slow'))
    expect(await isServed(await open(third))).toBe(false)
    busy?.destroy()
    await expect.poll(async () => isServed(await open(third))).toBe(true)
  })
})

test('connections through a trusted proxy count only toward the total', async () => {
  await start(6, 2)
  const busy = await openMany(5, proxy, get('/slow'))
  expect(await isServed(await open(proxy))).toBe(true)
  expect(busy.some(({ destroyed }) => destroyed)).toBe(false)
})
