import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member
let port: number

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  await portal.app.listen({ host: '127.0.0.1', port: 0 })
  port = (portal.app.server.address() as AddressInfo).port
})
afterAll(() => portal.close())

/** Sends bytes and returns the response, read until the connection ends. */
async function send(bytes: string): Promise<{ status: number; head: string; body: unknown }> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(head.slice(9, 12)), head, body: JSON.parse(body) }
}

const get = (path: string) =>
  send(`GET /api${path} HTTP/1.1\r\nhost: portal\r\nauthorization: Bearer ${member.token}\r\nconnection: close\r\n\r\n`)

test('a URL may be as long as a filter with 10,000 values', async () => {
  const known = { Email: 'person.9999@a-long-company.example.com' }
  await addContacts(portal.parts.database, member.account, { Email: 'string' }, [known])
  const values = Array.from({ length: 10_000 }, (_, at) => `person.${at}@a-long-company.example.com`)
  const find = encodeURIComponent(JSON.stringify([{ $match: { Email: { $in: values } } }]))
  expect(find.length).toBeGreaterThan(400_000)
  expect(await get(`/contact-service/v1/offers?find=${find}&count`)).toMatchObject({ status: 200, body: { count: 1 } })
})

test('a longer URL is refused with an error in the usual form', async () => {
  const { status, head, body } = await get(`/contact-service/v1/offers?find=${'x'.repeat(1024 * 1024)}`)
  expect(status).toBe(431)
  expect(head).toMatch(/^x-request-id: \S+/m)
  expect(body).toMatchObject({ error: { code: 'too_large', message: expect.stringContaining('Save the filter') } })
})

test.each([
  ['an address that is none', () => get('/contact-service/v1/offers/%E0%A4%A')],
  ['what is no request', () => send('HELLO\r\n\r\n')],
])('%s is refused with an error in the usual form', async (_what, ask) => {
  const { status, head, body } = await ask()
  expect(status).toBe(400)
  expect(head).toMatch(/^x-request-id: \S+/m)
  expect(body).toMatchObject({ error: { code: 'invalid_input', message: expect.any(String) } })
})
