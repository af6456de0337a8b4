import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type * as Portal from '#test/kit/portal.ts'
import { codeOf, untilStepsLast, wrongCode } from '#test/stand-ins/authenticator.ts'
import { invite, secretIn, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Member, openPortal, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

// 250 concurrent attempts, half of them on another process: each is counted before it is checked, so no more of them
// pass than would one by one.

const attempts = 250

let portal: TestPortal
let other: TestPortal
let ownOpenPortal: typeof openPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  // It has separate modules, like a process: what one counts in memory is invisible to the other.
  vi.resetModules()
  const second = (await import('#test/kit/portal.ts')) as typeof Portal
  ownOpenPortal = second.openPortal
  other = (await second.openPortal(portal.config.dataDir, portal.parts.database.url)) as TestPortal
})
afterAll(async () => {
  await other.close()
  await portal.close()
})

type Call = { path: string; body: object; address?: string; token?: string; method?: 'POST' | 'PUT' | 'DELETE' }

async function send(at: number, { path, body, address, token, method = 'POST' }: Call): Promise<number> {
  const reply = await (at % 2 ? portal : other).app.inject({
    method,
    url: `/api/identity/v1${path}`,
    payload: body,
    remoteAddress: address ?? '192.0.2.1',
    headers: token ? { authorization: `Bearer ${token}` } : {},
  })
  return reply.statusCode
}

/** Returns the number of replies by status for concurrent calls. */
async function together(call: (at: number) => Call, count = attempts): Promise<Record<number, number>> {
  const statuses = await Promise.all(Array.from({ length: count }, (_, at) => send(at, call(at))))
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const login = (email: string, address: string): Call => ({
  path: '/login',
  body: { email, password: 'wrong' },
  address,
})
const member = async (): Promise<Member> => portal.member(await portal.account())

test('the two processes share no memory', () => {
  expect(ownOpenPortal).not.toBe(openPortal)
})

test('passwords of one email from one address are limited to ten', async () => {
  const { email } = await member()
  const counts = await together(() => login(email, '192.0.2.10'))
  expect(counts[401]).toBeLessThanOrEqual(10)
  expect(counts[401]).toBeGreaterThanOrEqual(8)
  expect(Object.keys(counts)).toEqual(['401', '429'])
})

test('passwords of 250 emails from one address are limited to a hundred', async () => {
  const counts = await together((at) => login(`ghost-${at}@example.com`, '192.0.2.20'))
  expect(counts[401]).toBeLessThanOrEqual(100)
  expect(counts[401]).toBeGreaterThan(50)
  expect(Object.keys(counts)).toEqual(['401', '429'])
})

test('passwords of one email from 250 addresses are limited to a hundred', async () => {
  const { email } = await member()
  const counts = await together((at) => login(email, `198.51.${at % 2}.${at}`))
  expect(counts[401]).toBeLessThanOrEqual(100)
  expect(Object.keys(counts)).toEqual(['401', '429'])
})

test('guesses of the current password within a session are limited to ten', async () => {
  const { email, token } = await member()
  const body = { currentPassword: 'wrong', newPassword: 'another long password of mine' }
  const counts = await together((at) => ({
    method: at % 4 < 2 ? 'PUT' : 'POST',
    path: at % 4 < 2 ? '/profile/password' : '/profile/given-password',
    body: at % 4 < 2 ? body : { password: 'wrong' },
    token,
    address: '192.0.2.30',
  }))
  expect(counts[400]).toBeLessThanOrEqual(10)
  expect(counts[400]).toBeGreaterThanOrEqual(8)
  expect(Object.keys(counts)).toEqual(['400', '429'])
  expect(await send(0, { path: '/login', body: { email, password: testPassword }, address: '192.0.2.30' })).toBe(429)
})

/** Returns a person with two-factor, their secret and recovery codes. */
async function guarded() {
  await untilStepsLast()
  const one = await member()
  const path = '/identity/v1/profile/two-factor'
  const { secret } = (await one.post(path, { password: testPassword })).json<{ secret: string }>()
  const confirmed = await one.post(`${path}/confirmation`, { code: codeOf(secret) })
  return { ...one, secret, recoveryCodes: confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes }
}

async function secondStep(email: string, address: string): Promise<string> {
  const reply = await portal.asking({}, address).post('/identity/v1/login', { email, password: testPassword })
  return reply.json<{ token: string }>().token
}

test('codes are limited to five for one second step and ten for a person from any address', async () => {
  const { email, secret } = await guarded()
  const token = await secondStep(email, '203.0.113.1')
  const ofStep = await together(() => ({
    path: '/login',
    body: { token, code: wrongCode(secret) },
    address: '203.0.113.1',
  }))
  const { rows } = await portal.parts.database.pool.query(
    `SELECT count(*)::int AS judged FROM portico.login_failures WHERE email LIKE 'codes of %' AND is_judged`,
  )
  expect(rows[0].judged).toBeLessThanOrEqual(5)
  expect(Object.keys(ofStep)).toEqual(['401', '429'])
  const tokens = await Promise.all(Array.from({ length: 25 }, (_, at) => secondStep(email, `203.0.113.${100 + at}`)))
  const ofPerson = await together((at) => ({
    path: '/login',
    body: { token: tokens[at % 25] ?? '', code: wrongCode(secret) },
    address: `203.0.113.${100 + (at % 25)}`,
  }))
  expect(ofPerson[401] ?? 0).toBeLessThanOrEqual(5)
})

test('a recovery code works once across many second steps', async () => {
  const { email, recoveryCodes } = await guarded()
  const tokens = await Promise.all(Array.from({ length: 10 }, (_, at) => secondStep(email, `203.0.113.${at}`)))
  const counts = await together((at) => ({
    path: '/login',
    body: { token: tokens[at % 10] ?? '', code: recoveryCodes[0] ?? '' },
    address: `203.0.113.${at % 10}`,
  }))
  expect(counts[200]).toBe(1)
})

test('emails for forgotten passwords are limited to five for an email and twenty for an address', async () => {
  const forgot = (email: string, address: string): Call => ({ path: '/forgot-password', body: { email }, address })
  const ofEmail = await together((at) => forgot('ada@example.com', `198.51.${at % 2}.${at}`))
  expect(ofEmail[204] ?? 0).toBeLessThanOrEqual(5)
  const ofAddress = await together((at) => forgot(`ghost-${at}@example.com`, '192.0.2.50'))
  expect(ofAddress[204] ?? 0).toBeLessThanOrEqual(20)
})

test('an invitation registers only once', async () => {
  const email = 'grace@example.org'
  await invite(portal, email, await portal.account())
  const invitation = secretIn(await waitForMessage(portal, email))
  const body = { invitation, password: 'a rather long password', userName: 'Grace' }
  const counts = await together((at) => ({ path: '/register', body, address: `198.18.0.${at}` }))
  expect(counts[200]).toBe(1)
})

test('invitations of a person by an account are limited to five', async () => {
  const admin = await member()
  const personId = await invite(portal, 'often@example.org', admin.account)
  const { rows } = await portal.parts.database.pool.query('SELECT id FROM portico.identities WHERE person_id = $1', [
    personId,
  ])
  const counts = await together(
    () => ({ path: `/identities/${rows[0].id}/invitation`, body: {}, token: admin.token }),
    60,
  )
  expect(counts[204] ?? counts[200]).toBe(5)
  expect(counts[429]).toBe(55)
})
