import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'
import { createIdentityWithPassword } from '../provisioning/identity-with-password.service.ts'
import { isKnownPlace } from './known-places.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const signIn = (email: string, remoteAddress: string, password = testPassword) =>
  portal.app.inject({ method: 'POST', url: '/api/identity/v1/login', payload: { email, password }, remoteAddress })

test('a flood of sign-ins from many networks does not block people on networks they have used before', async () => {
  const email = 'pia@example.com'
  const { db } = portal.parts.database
  const account = await portal.account()
  await createIdentityWithPassword(db, { email, account, powerUser: false, password: testPassword })
  expect((await signIn(email, '2001:db8:7:1::1')).statusCode).toBe(200)
  const flood = Promise.all(
    Array.from({ length: 256 }, (_, at) =>
      signIn(`unknown-${at}@example.com`, `198.19.3.${Math.floor(at / 8)}`, 'wrong'),
    ),
  )
  const others = await Promise.all(Array.from({ length: 6 }, (_, at) => signIn(email, `2001:db8:7:1::${at + 2}`)))
  expect(others.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200))
  expect(new Set((await flood).map(({ statusCode }) => statusCode))).toEqual(new Set([401, 429]))
  const places = [
    ['pia@example.com', '2001:db8:7:1::'],
    ['pia@example.com', '198.19.3.1'],
    ['unknown-1@example.com', '2001:db8:7:1::'],
  ] as const
  const known = places.map(([key, address]) => isKnownPlace(db, { key, address }))
  expect(await Promise.all(known)).toEqual([true, false, false])
})
