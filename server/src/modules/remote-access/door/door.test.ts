import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'
import { accessPath, addAccess, newAccess, readOffer, stranger, untilServed } from '#test/remote-accesses.ts'

const shop = 'https://shop.example.com'
const refused = {
  status: 403,
  body: { error: { code: 'access_refused', message: 'No remote access lets this page or address do this.' } },
}
const missing = { status: 404, body: { error: { code: 'not_found' } } }

let portal: TestPortal
let member: Member
let page: ReturnType<typeof stranger>

const types = { Email: 'string', 'First Name': 'string', City: 'string', Zip: 'string', Age: 'number', Born: 'date' } as const
const contacts = [
  { Email: 'Ada@Example.com ', 'First Name': 'Ada', City: 'London', Zip: '8001', Age: 36, Born: '1815-12-10T00:00:00Z' },
  { Email: 'eve@example.com', 'First Name': 'Eve', City: null, Zip: '8001', Age: 41.5, Born: null },
  { Email: 'twin@example.com', 'First Name': 'Tom', City: 'Paris', Zip: '75001', Age: null, Born: null },
  { Email: 'TWIN@example.com', 'First Name': 'Tim', City: 'Paris', Zip: '75002', Age: null, Born: null },
  { Email: null, 'First Name': 'Nameless', City: 'Rome', Zip: null, Age: null, Born: null },
]

async function memberWithContacts(): Promise<Member> {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, types, contacts, (at) => ({ purl: { base: 'ada', number: at + 1 } }))
  return portal.member(account)
}

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: { perAddress: 100_000, perAccess: 100_000, eventsPerDay: 1000 } })
  await portal.startWorker()
  member = await memberWithContacts()
  page = stranger(portal, shop)
  await addAccess(member)
})
afterAll(() => portal.close())

describe('a page that is let in', () => {
  test('reads the public columns of the one contact, without those that have no value', async () => {
    const answer = await readOffer(page, member.account, { Email: 'ada@example.com' })
    expect(answer).toMatchObject({ status: 200, body: { 'First Name': 'Ada', City: 'London' } })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': shop,
      vary: 'Origin',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(answer.headers).not.toHaveProperty('set-cookie')
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(await readOffer(page, member.account, { Email: 'eve@example.com' })).toMatchObject({
      status: 200,
      body: { 'First Name': 'Eve' },
    })
  })
})
