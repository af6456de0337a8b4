import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, exportWith } from '#test/resources/deliveries.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Servers that do not speak the protocol. The delivery log reports this in plain words.

let portal: TestPortal
let member: Member
const servers: Server[] = []

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
})
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})
afterAll(() => portal.close())

/** A server that sends this text on every connection, and may close it then. Returns its port. */
async function startServer(text: string, { closes = false } = {}): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).write(text, 'latin1')
    if (closes) socket.end()
  })
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function deliverByHttp(port: number) {
  const endpoint = `http://127.0.0.1:${port}/`
  const made = await exportWith(portal, member, { type: 'http', method: 'get', endpoint })
  return attemptNow(portal, member, made._id)
}

test.each([
  ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', 'The response is not valid HTTP.'],
  ['endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`, 'The headers of the response are too long.'],
])('a call to a web server that sends %s is retried', async (_what, text, result) => {
  expect(await deliverByHttp(await startServer(text))).toMatchObject({ status: 'recovery', result })
})

test('a call that a web server accepts is not repeated, even if its response never ends', async () => {
  const port = await startServer('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbeginning')
  expect(await deliverByHttp(port)).toMatchObject({ status: 'completed', result: 'Responded with 200 OK.' })
})

test.each([
  ['503 Service Unavailable', 'recovery', 'The connection was closed before the response was complete.'],
  ['200 OK', 'completed', 'Responded with 200 OK.'],
])('a call whose response of %s breaks off is retried unless it was accepted', async (line, status, result) => {
  const port = await startServer(`HTTP/1.1 ${line}\r\nContent-Length: 1000\r\n\r\nhalf`, { closes: true })
  expect(await deliverByHttp(port)).toMatchObject({ status, result })
})

test('control characters in a response do not get into the result', async () => {
  const port = await startServer('HTTP/1.1 200 Fine\xc2\x9b31m, \tthanks\r\nContent-Length: 0\r\n\r\n', {
    closes: true,
  })
  expect(await deliverByHttp(port)).toMatchObject({
    status: 'completed',
    result: 'Responded with 200 Fine 31m, thanks.',
  })
})

test('a call to a port of another protocol is neither made nor retried', async () => {
  expect(await deliverByHttp(22)).toMatchObject({
    status: 'rejected',
    recoveryCount: 0,
    result: 'The port in the URL is reserved for another protocol. Use another port.',
  })
})

test.each([
  ['an endless greeting', 'a line\r\n'.repeat(20_000)],
  ['an endless line', 'a'.repeat(200_000)],
  ['no packets', `SSH-2.0-x\r\n${'\xff'.repeat(1000)}`],
])('an upload to an SFTP server that sends %s is retried', async (_what, text) => {
  const port = await startServer(text)
  const target = { type: 'sftp' as const, host: '127.0.0.1', port, user: 'ada', password: 'right', folder: 'in' }
  const made = await exportWith(portal, member, target)
  expect(await attemptNow(portal, member, made._id)).toMatchObject({
    status: 'recovery',
    result: 'The server does not respond as an SFTP server does. Check host and port.',
  })
})
