import { setImmediate } from 'node:timers/promises'
import type { RemoteAccessUsage } from '@portico/contract/remote-access'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import {
  accessPath,
  addAccess,
  memberWithContacts,
  newAccess,
  noLimits,
  readOffer,
  stranger,
} from '#test/resources/remote-accesses.ts'

const shop = 'https://shop.example.com'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
  member = await memberWithContacts(portal)
})
afterAll(() => portal.close())

const usageOf = async (id: string): Promise<RemoteAccessUsage> =>
  (await member.get(`${accessPath}/${id}/usage`)).json<RemoteAccessUsage>()

const read = (origin: string | null, email: string, address?: string) =>
  readOffer(stranger(portal, origin, address), member.account, { Email: email })

test('calls are counted per day by outcome, and refused origins by reason', async () => {
  const { _id: id } = await addAccess(member)
  for (const email of ['ada@example.com', 'eve@example.com', 'twin@example.com', 'unknown@example.com']) {
    await read(shop, email)
  }
  await read('https://evil.io', 'ada@example.com')
  await read('https://evil.io', 'eve@example.com')
  await read('http://shop.example.com', 'ada@example.com')
  await read('null', 'ada@example.com')
  await read(null, 'ada@example.com', '203.0.113.9')
  await readOffer(stranger(portal, shop), member.account, { City: 'London' })
  expect(await member.put(`${accessPath}/${id}`, newAccess({ isPaused: true }))).toMatchObject({ status: 200 })
  await read(shop, 'ada@example.com')

  // The days are written before the origins.
  await expect.poll(async () => (await usageOf(id)).refusedOrigins.reduce((sum, { calls }) => sum + calls, 0)).toBe(7)
  const { days, refusedOrigins, hasUntrustedProxy } = await usageOf(id)
  expect(days).toEqual([
    {
      day: new Date().toISOString().slice(0, 10),
      served: 2,
      notFound: 1,
      several: 1,
      refused: 7,
      limited: 0,
      events: 0,
      dropped: 0,
    },
  ])
  expect(new Set(refusedOrigins.map(({ origin, calls, refusal }) => `${origin} ${calls} ${refusal}`))).toEqual(
    new Set([
      'https://evil.io 2 origin_not_allowed',
      'http://shop.example.com 1 insecure_origin',
      'null 1 invalid_origin',
      '203.0.113.9 1 address_not_allowed',
      'https://shop.example.com 1 other_columns',
      'https://shop.example.com 1 paused',
    ]),
  )
  for (const { text } of refusedOrigins) expect(text).toMatch(/^[A-Z].+\.$/)
  expect(hasUntrustedProxy).toBe(false)
  const [access] = (await member.get(accessPath)).json<{ lastUsedAt: string | null }[]>()
  expect(Date.parse(access?.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
})

/** Times of calls have milliseconds: calls within the same one have no order. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now()
  while (Date.now() === now) await setImmediate()
}

test('only the ten latest origins are kept', async () => {
  const { _id: id } = await addAccess(member, { domainOrIp: 'many.example.com' })
  for (let at = 0; at < 25; at++) {
    await read(`https://evil${at}.io`, 'ada@example.com')
    await nextMillisecond()
  }
  const origins = async () => (await usageOf(id)).refusedOrigins.map(({ origin }) => origin)
  await expect.poll(origins).toEqual(Array.from({ length: 10 }, (_each, at) => `https://evil${24 - at}.io`))
  expect((await usageOf(id)).days[0]?.refused).toBe(25)
})

test('an untrusted proxy is reported', async () => {
  const { _id: id } = await addAccess(member, { domainOrIp: 'proxied.example.com' })
  await readOffer(portal.asking({ origin: shop, 'x-forwarded-for': '203.0.113.7' }), member.account, { Email: 'x' })
  expect((await usageOf(id)).hasUntrustedProxy).toBe(true)
})
