import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import {
  ada,
  addAccess,
  memberWithContacts,
  noLimits,
  readOffer,
  sendEvents,
  stranger,
} from '#test/resources/remote-accesses.ts'

// An import that gives a field another type locks the tables of its account. Calls for other accounts go on.

const values = { Email: 'ada@example.com' }
const rounds = 10
// More than there are connections for any use.
const callsAtOnce = 25

let portal: TestPortal
let page: Client
let one: Member
let other: Member

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
  page = stranger(portal, 'https://shop.example.com')
  one = await memberWithContacts(portal)
  other = await memberWithContacts(portal)
  for (const member of [one, other]) await addAccess(member)
})
afterAll(() => portal.close())

async function letProcessKnowBoth(): Promise<void> {
  for (const { account } of [one, other]) {
    expect(await readOffer(page, account, values)).toMatchObject({ status: 200, body: ada })
  }
}

/** Calls for the locked account without waiting for its answers, and for the other one in between. */
async function callBoth(
  tables: string[],
  calls: { locked: (at: number) => Promise<Answer>; free: (at: number) => Promise<Answer> },
): Promise<{ locked: Answer[]; free: Answer[]; mostWaits: number }> {
  await letProcessKnowBoth()
  const holder = await portal.parts.database.pool.connect()
  const pending: Promise<Answer>[] = []
  const free: Answer[] = []
  let mostWaits = 0
  try {
    await holder.query('BEGIN')
    const names = tables.map((table) => `account_${one.account}.${table}`).join()
    await holder.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`)
    for (let round = 0; round < rounds; round++) {
      for (let call = 0; call < callsAtOnce; call++) pending.push(calls.locked(round * callsAtOnce + call))
      free.push(await calls.free(round))
      mostWaits = Math.max(mostWaits, (await waitsFor(tables)).length)
    }
    // Without the end of the lock.
    return { locked: await Promise.all(pending), free, mostWaits }
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
    await Promise.all(pending)
  }
}

async function waitsFor(tables: string[]): Promise<string[]> {
  const waits = await lockWaits(portal.parts.database.pool)
  return waits.filter((text) => tables.some((table) => text.includes(`"account_${one.account}"."${table}"`)))
}

const busy = { status: 503, body: { error: { code: 'unavailable' } }, headers: { 'retry-after': '5' } }

test('reads of other accounts are answered while the contacts of one are locked, which has a third of the connections', async () => {
  const { locked, free, mostWaits } = await callBoth(['contacts'], {
    locked: () => readOffer(page, one.account, values),
    free: () => readOffer(page, other.account, values),
  })
  expect(free.map(({ status }) => status)).toEqual(Array(rounds).fill(200))
  expect(mostWaits).toBeGreaterThan(0)
  expect(mostWaits).toBeLessThanOrEqual(3)
  for (const answer of locked) expect(answer).toMatchObject(busy)
  // At once after the lock has ended.
  expect(await readOffer(page, one.account, values)).toMatchObject({ status: 200, body: ada })
})

test('events of other accounts are recorded while the events of one and their fields are locked', async () => {
  for (const { post } of [one, other]) {
    expect(await post('/contact-service/v1/fields/events', { name: 'price' })).toMatchObject({ status: 201 })
  }
  const event = (at: number, details: object = {}) => ({ id: `locked ${at}`, event_code: 'page_view', ...details })
  const { locked, free, mostWaits } = await callBoth(['events', 'event_fields'], {
    // Half of them with names that the process has to look up.
    locked: (at) => sendEvents(page, one.account, values, event(at, at % 2 ? { [`field${at}`]: 1 } : {})),
    free: (at) => sendEvents(page, other.account, values, event(at, { price: at })),
  })
  expect(free.map(({ status }) => status)).toEqual(Array(rounds).fill(202))
  expect(mostWaits).toBeGreaterThan(0)
  expect(mostWaits).toBeLessThanOrEqual(2)
  for (const answer of locked) expect(answer).toMatchObject(busy)
  expect(await sendEvents(page, one.account, values, event(0))).toMatchObject({ status: 202, body: { recorded: 1 } })
  expect(await sendEvents(page, one.account, values, event(1, { price: 2 }))).toMatchObject({ status: 202 })
})
