import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import {
  accessPath,
  addAccess,
  noLimits,
  readOffer,
  secondProcess,
  sendEvents,
  stranger,
} from '#test/resources/remote-accesses.ts'

const shop = 'https://shop.example.com'
const limited = { status: 429, body: { error: { code: 'too_many_requests' } } }

let portal: TestPortal
let member: Member
let lastAddress = 0

/** An address that has not called yet. */
const newAddress = (): string => `198.51.100.${++lastAddress}`

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: { perAddress: 40, perAccess: 300, misses: 20, eventsPerDay: 10 } })
  await portal.startWorker()
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { Email: 'string', City: 'string' }, [
    { Email: 'ada@example.com', City: 'London' },
  ])
  member = await portal.member(account)
  await addAccess(member, { publicColumns: 'City' })
})
afterAll(() => portal.close())

// Calls are counted by minutes of the clock, so a minute that ends during a test would reset the counts.
beforeEach(async () => {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 15_000) await sleep(left)
})

const reader =
  (address: string, email = 'ada@example.com') =>
  () =>
    readOffer(stranger(portal, shop, address), member.account, { Email: email })

async function statuses(calls: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < calls; at++) found.push((await call()).status)
  return found
}

const figuresToday = async () => {
  const [{ _id: id } = { _id: '' }] = (await member.get(accessPath)).json<{ _id: string }[]>()
  const usage = (await member.get(`${accessPath}/${id}/usage`)).json<{ days: Record<string, number>[] }>()
  return usage.days.at(-1)
}

describe('calls of an address', () => {
  test('are limited per minute by the setting, while others are served', async () => {
    const [busy, other] = [newAddress(), newAddress()]
    expect(await statuses(40, reader(busy))).toEqual(Array(40).fill(200))
    const answer = await reader(busy)()
    expect(answer).toMatchObject(limited)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(await reader(other)()).toMatchObject({ status: 200 })
    await expect.poll(async () => (await figuresToday())?.['limited'], { timeout: 5000 }).toBeGreaterThanOrEqual(1)
  })

  test('of one IPv6 network count together', async () => {
    const network = (at: number) => `2001:db8:0:1::${at}`
    for (let at = 1; at <= 40; at++) expect(await reader(network(at))()).toMatchObject({ status: 200 })
    expect(await reader(network(99))()).toMatchObject(limited)
    expect(await reader('2001:db8:0:2::1')()).toMatchObject({ status: 200 })
  })

  test('that guess are stopped after 20 misses, and then hits look like misses', async () => {
    const guesser = newAddress()
    const guess = reader(guesser, 'unknown@example.com')
    expect(await statuses(20, guess)).toEqual(Array(20).fill(404))
    const stopped = await guess()
    expect(stopped).toMatchObject(limited)
    // Hits are refused too; otherwise they could be told from misses.
    expect(await reader(guesser)()).toMatchObject(limited)
    expect(await reader(newAddress())()).toMatchObject({ status: 200 })
  })

  test('that guess concurrently see 20 misses, and no hit after them', async () => {
    const guesser = newAddress()
    // Fewer calls than an address may make.
    const guess = (at: number) => reader(guesser, at === 39 ? 'ada@example.com' : `unknown-${at}@example.com`)()
    const found = (await Promise.all(Array.from({ length: 250 }, (_, at) => guess(at)))).map(({ status }) => status)
    expect(found.filter((status) => status === 404)).toHaveLength(20)
    expect(found.filter((status) => status === 429)).toHaveLength(230)
  })

  test('count in any case: also for unknown accounts, preflights and refused pages', async () => {
    const address = newAddress()
    const ask = () => readOffer(stranger(portal, 'https://evil.io', address), 999_999, { Email: 'x' })
    expect(await statuses(41, ask)).toEqual([...(Array(40).fill(403) as number[]), 429])
  })
})

test('an access serves at most as many calls a minute as the setting says, across all addresses', async () => {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { Email: 'string', City: 'string' }, [
    { Email: 'ada@example.com', City: 'London' },
  ])
  const other = await portal.member(account)
  await addAccess(other, { publicColumns: 'City' })
  const found: number[] = []
  // The minute may end in between, but then one of the two minutes has more calls than the limit.
  for (let at = 0; at < 620; at++) {
    const page = stranger(portal, shop, `192.0.2.${at % 16}`)
    found.push((await readOffer(page, account, { Email: 'ada@example.com' })).status)
  }
  expect(found.filter((status) => status === 429).length).toBeGreaterThan(0)
  expect(found.slice(0, 250)).toEqual(Array(250).fill(200))
})

test('a call for which the database has no time returns 503, and may be repeated', async () => {
  const client = await portal.parts.database.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`LOCK TABLE account_${member.account}.contacts`)
    const answer = await reader(newAddress())()
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  expect(await reader(newAddress())()).toMatchObject({ status: 200 })
})

// A minute that ends in between resets all counts.
test('processes allow the limit each until they share their counts', { retry: 2 }, async () => {
  const address = newAddress()
  const url = `/api/contact-service/v1/public/${member.account}/offers?Email=ada%40example.com`
  const ask = async (app: FastifyInstance) =>
    (await app.inject({ url, headers: { origin: shop }, remoteAddress: address })).statusCode
  const [second, third] = [await secondProcess(portal), await secondProcess(portal)]
  try {
    const ofFirst = await statuses(41, async () => ({ status: await ask(portal.app) }))
    expect(ofFirst).toEqual([...(Array(40).fill(200) as number[]), 429])
    const ofSecond = await statuses(41, async () => ({ status: await ask(second) }))
    // At most this many: on a busy machine it receives the counts of the first process before it reaches the limit
    // itself.
    const admitted = ofSecond.filter((status) => status === 200).length
    expect(ofSecond).toEqual([
      ...(Array(admitted).fill(200) as number[]),
      ...(Array(41 - admitted).fill(429) as number[]),
    ])
    expect(admitted).toBeLessThanOrEqual(40)
    // It shares its counts every second, and calls too rarely to reach the limit alone.
    await expect.poll(() => ask(third), { interval: 250, timeout: 5000 }).toBe(429)
  } finally {
    await second.close()
    await third.close()
  }
})

test('events of an access are limited per day, accepting whole requests or nothing', async () => {
  const event = (at: number) => ({ id: String(at), event_code: 'click' })
  const send = (events: unknown[]) =>
    sendEvents(stranger(portal, shop, newAddress()), member.account, { Email: 'ada@example.com' }, { events })
  const numbers = Array.from({ length: 10 }, (_each, at) => at)
  expect(await send(numbers.slice(0, 8).map(event))).toMatchObject({ status: 202, body: { recorded: 8, dropped: 0 } })
  const refused = await send(numbers.slice(0, 3).map((at) => event(100 + at)))
  expect(refused).toMatchObject(limited)
  expect(await send(numbers.slice(8, 10).map(event))).toMatchObject({ status: 202, body: { recorded: 2, dropped: 0 } })
})

// Other work on the machine may slow down one of the two; a real difference fails every time.
test('finding no contact takes as long as finding several', { retry: 2, timeout: 240_000 }, async () => {
  const own = await startPortal({ remoteAccessLimits: noLimits })
  try {
    await own.startWorker()
    const account = await own.account()
    const twins = [{ Email: 'twin@example.com' }, { Email: 'Twin@example.com' }]
    await addContacts(own.parts.database, account, { Email: 'string', City: 'string' }, twins)
    await addAccess(await own.member(account), { publicColumns: 'City' })
    const page = stranger(own, shop)
    const times = { none: [] as number[], several: [] as number[] }
    const kinds = [
      ['none', 'unknown@example.com'],
      ['several', 'twin@example.com'],
    ] as const
    for (let at = 0; at < 2200; at++) {
      // Alternating, each first equally often, so both run under the same conditions.
      for (const [kind, email] of at % 2 === 0 ? kinds : kinds.toReversed()) {
        const started = performance.now()
        expect((await readOffer(page, account, { Email: email })).status).toBe(404)
        // Statements are prepared in the first calls.
        if (at >= 200) times[kind].push(performance.now() - started)
      }
    }
    const median = (all: number[]) => all.toSorted((one, other) => one - other)[all.length / 2] ?? 0
    const ratio = median(times.none) / median(times.several)
    expect(ratio).toBeGreaterThan(0.95)
    expect(ratio).toBeLessThan(1.05)
  } finally {
    await own.close()
  }
})
