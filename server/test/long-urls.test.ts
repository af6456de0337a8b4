import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { api } from '@portico/contract/api'
import { isOpenAccess, type Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Parsing a million names takes seconds, during which a process serves no other request. So a long URL is read only for
// callers who may make the call, and one with many names for no caller.

const manyNames = Array.from({ length: 200_000 }, (_, at) => at.toString(36)).join('&')
const longValue = `x=${'%41'.repeat(320_000)}`

let portal: TestPortal
let admin: Member
let port: number

beforeAll(async () => {
  portal = await startPortal()
  await portal.account()
  admin = await portal.powerAdmin()
  await portal.app.listen({ host: '127.0.0.1', port: 0 })
  port = (portal.app.server.address() as AddressInfo).port
})
afterAll(() => portal.close())

type Asked = { method?: string; token?: string | undefined; headers?: string }

async function ask(url: string, { method = 'GET', token, headers = '' }: Asked = {}) {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  const who = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
  socket.write(`${method} ${url} HTTP/1.1\r\nhost: portal\r\n${who}${headers}connection: close\r\n\r\n`)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(head.slice(9, 12)), body }
}

const routes: Route[] = Object.values(api)
const urlOf = ({ path }: Route, query: string): string => `/api${path.replaceAll(/:\w+/g, '1')}?${query}`
const readsLong = ({ access, query }: Route): boolean => query !== undefined && !isOpenAccess(access)

describe('a URL of 1 MB', () => {
  test.each([
    ['many names', manyNames],
    ['one value', longValue],
  ])(
    'with %s is refused unread for callers without access',
    async (_what, query) => {
      for (const route of routes) {
        const { status } = await ask(urlOf(route, query), route)
        const expected = readsLong(route) ? 401 : 414
        expect({ ...route, status }).toMatchObject({ path: route.path, status: expected })
      }
    },
    180_000,
  )

  test('with many names is refused for power admins too', async () => {
    for (const route of routes) {
      const { status, body } = await ask(urlOf(route, manyNames), { method: route.method, token: admin.token })
      const error = readsLong(route) ? [400, 'Use at most 100 names.'] : [414, 'url_too_long']
      expect({ path: route.path, status, body }).toMatchObject({
        path: route.path,
        status: error[0],
        body: expect.stringContaining(String(error[1])),
      })
    }
  }, 180_000)

  test.each([
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/assets/a.js',
    '/api/openapi.json',
    '/api/nothing',
    '/identity/v1/x',
  ])('is refused at %s', async (path) => {
    for (const query of [manyNames, longValue]) expect(await ask(`${path}?${query}`)).toMatchObject({ status: 414 })
    expect(await ask(`${path}/${'%41'.repeat(320_000)}`, { token: admin.token })).toMatchObject({ status: 414 })
  })

  test('is accepted as a filter of a signed-in user', async () => {
    const find = encodeURIComponent(JSON.stringify([{ $match: { _id: { $in: Array(50_000).fill('1') } } }]))
    expect(find.length).toBeGreaterThan(500_000)
    const path = `/api/contact-service/v1/offers?count&find=${find}`
    expect((await ask(path, { token: admin.token })).status).not.toBe(414)
    expect(await ask(path)).toMatchObject({ status: 401 })
  })
})

test('names and values of a query are decoded, whether given once or repeatedly', async () => {
  const path = '/api/contact-service/v1/offers?select='
  const field = async (select: string) => (await ask(path + select, { token: admin.token })).body
  expect(await field('%22A+b%22')).toContain('There is no field \\"A b\\"')
  expect(await field('%C3%A4%2B&&')).toContain('There is no field \\"ä+\\"')
  expect(await field('a&select=b')).toContain('Enter text.')
  const problems = async (query: string) =>
    (await ask(`/api/contact-service/v1/offers?${query}`, { token: admin.token })).body
  for (const name of ['?limit', '__proto__', 'constructor', 'a[b]'])
    expect(await problems(`${name}=1`)).toContain(`"field":"${name}"`)
})

test('an ordinary query is read as before', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}=1`).join('&')
  expect((await ask(`/api/identity/v1/deployment?${names(100)}`)).body).not.toContain('at most 100 names')
  expect(await ask(`/api/contact-service/v1/offers?${names(100)}`, { token: admin.token })).toMatchObject({
    status: 400,
    body: expect.stringContaining('"field":"n0"'),
  })
  const broken = await ask('/api/contact-service/v1/offers?find=%E0%A4%A', { token: admin.token })
  expect(broken).toMatchObject({ status: 400, body: expect.stringContaining('must be JSON') })
})

test('headers of 100 kB are refused', async () => {
  const headers = `cookie: ${'a'.repeat(100_000)}\r\n`
  for (const path of ['/api/identity/v1/deployment', '/healthz', '/api/contact-service/v1/offers']) {
    expect(await ask(path, { headers })).toMatchObject({ status: 431 })
  }
})
