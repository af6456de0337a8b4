import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/contacts.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/portal.ts'
import { accessPath, addAccess, newAccess, noLimits, readOffer, stranger, untilServed } from '#test/remote-accesses.ts'

// Calls of strangers: who is let in, which contact is served, and that nobody else learns anything.

const shop = 'https://shop.example.com'
const refusal = { code: 'access_refused', message: 'No remote access lets this page or address do this.' }
const missing = { status: 404, body: { error: { code: 'not_found' } } }
const types = {
  Email: 'string',
  'First Name': 'string',
  City: 'string',
  Zip: 'string',
  Age: 'number',
  Born: 'date',
  Member: 'boolean',
} as const
const contacts = [
  {
    Email: 'Ada@Example.com ',
    'First Name': 'Ada',
    City: 'London',
    Zip: '8001',
    Age: 36,
    Born: '1815-12-10T00:00:00Z',
    Member: true,
  },
  { Email: 'eve@example.com', 'First Name': 'Eve', City: null, Zip: '8001', Age: 41.5, Born: null, Member: false },
  { Email: 'twin@example.com', 'First Name': 'Tom', City: 'Paris', Zip: '75001', Age: null, Born: null, Member: null },
  { Email: 'TWIN@example.com', 'First Name': 'Tim', City: 'Paris', Zip: '75002', Age: null, Born: null, Member: null },
  { Email: null, 'First Name': 'Nameless', City: 'Rome', Zip: null, Age: null, Born: null, Member: null },
]
const ada = { 'First Name': 'Ada', City: 'London' }

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
})
afterAll(() => portal.close())

let ids: string[] = []

/** A power user of a new account with the contacts above. */
async function memberWithContacts(): Promise<Member> {
  const account = await portal.account()
  const purls = (at: number) => ({ purl: { base: at < 3 ? 'ada' : 'tim', number: at + 1 } })
  ids = await addContacts(portal.parts.database, account, types, contacts, purls)
  return portal.member(account)
}

const nothing = (answer: Answer): void => {
  expect(answer).toMatchObject({ status: 403 })
  expect(answer.body).toEqual({ error: refusal })
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
}

describe('a page that is let in', () => {
  let member: Member
  beforeAll(async () => {
    member = await memberWithContacts()
    await addAccess(member)
  })
  const read = (values: Record<string, string> | string, origin: string | null = shop) =>
    readOffer(stranger(portal, origin), member.account, values)

  test('reads the public columns of the one contact, without those that have no value', async () => {
    const answer = await read({ Email: 'ada@example.com' })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual(ada)
    expect((await read({ Email: 'eve@example.com' })).body).toEqual({ 'First Name': 'Eve' })
  })

  test('gets headers that let the page read this one answer', async () => {
    const { headers } = await read({ Email: 'ada@example.com' })
    expect(headers).toMatchObject({
      'access-control-allow-origin': shop,
      vary: 'Origin',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'application/json; charset=utf-8',
    })
    for (const name of ['set-cookie', 'access-control-allow-credentials', 'strict-transport-security']) {
      expect(headers).not.toHaveProperty(name)
    }
  })

  test.each([' ADA@example.COM\t', 'ada@example.com\u00a0', '\r\nAda@Example.com'])(
    'names the value %j as dedup would read it',
    async (email) => expect((await read({ Email: email })).body).toEqual(ada),
  )

  test('may write the name of the column in any letter case', async () => {
    expect((await read('eMAIL=ada%40example.com')).body).toEqual(ada)
  })

  test.each(['unknown@example.com', 'twin@example.com', '', '   ', '\0', '%', '_', 'ada@example.co_', '*', '.*'])(
    'finds none or several contacts with %j: both are 404, alike',
    async (email) => {
      const answer = await read({ Email: email })
      expect(answer).toMatchObject({ status: 404, headers: { 'access-control-allow-origin': shop } })
      expect(answer.body).toEqual((await read({ Email: 'none' })).body)
      expect(answer.headers['content-length']).toBe((await read({ Email: 'none' })).headers['content-length'])
    },
  )

  test.each([
    ['another column', 'City=London'],
    ['a further column', 'Email=ada%40example.com&City=London'],
    ['no column', ''],
    ['an operator', 'Email%5B%24ne%5D=x'],
    ['an operator in brackets', 'Email[$ne]=x'],
    ['a list', 'Email[]=ada%40example.com'],
    ['a column of the database', 'c1=ada%40example.com'],
    ['the path', 'account=1&Email=ada%40example.com'],
    ['a prototype', '__proto__=x'],
    ['a token', 'Email=ada%40example.com&token=x'],
  ])('is refused when its query names %s', async (_what, query) => nothing(await read(query)))

  test('is refused with 400 when a name is given twice, in any letter case', async () => {
    for (const query of ['Email=a&Email=b', 'Email=ada%40example.com&email=ada%40example.com']) {
      expect(await read(query)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    }
  })

  test('sees the JSON of operators as text', async () => {
    expect(await read({ Email: '{"$ne":""}' })).toMatchObject(missing)
    expect(await read({ Email: "' OR 1=1 --" })).toMatchObject(missing)
  })

  test('is answered however it authenticates, and learns nothing more by it', async () => {
    for (const authorization of [`Bearer ${member.token}`, 'Bearer a.b.c', 'Basic !']) {
      const caller = portal.asking({ origin: shop, authorization, cookie: 'session=1' })
      expect((await readOffer(caller, member.account, { Email: 'ada@example.com' })).body).toEqual(ada)
    }
    nothing(await readOffer(portal.holder(member.token), member.account, { Email: 'ada@example.com' }))
  })

  test.each([
    ['http', 'http://shop.example.com'],
    ['a sub-domain', 'https://www.shop.example.com'],
    ['the domain as the beginning of another', 'https://shop.example.com.evil.io'],
    ['the domain as the end of another', 'https://evilshop.example.com'],
    ['a parent domain', 'https://example.com'],
    ['another top-level domain', 'https://shop.example.org'],
    ['null', 'null'],
    ['an empty text', ''],
    ['a user name', 'https://shop.example.com@evil.io'],
    ['the domain as user name', 'https://evil.io#@shop.example.com'],
    ['a path', 'https://shop.example.com/'],
    ['two origins', 'https://shop.example.com, https://evil.io'],
    ['two origins by a space', 'https://evil.io https://shop.example.com'],
    ['a look-alike in punycode', 'https://xn--shp-dma.example.com'],
    ['a look-alike in other letters', 'https://sh\u043ep.example.com'],
    ['a dot at the end', 'https://shop.example.com.'],
    ['a file', 'file://'],
    ['an extension', 'chrome-extension://shop.example.com'],
    ['an encoded dot', 'https://shop%2eexample.com'],
    ['a backslash', 'https://shop.example.com\\.evil.io'],
    ['an address', 'https://127.0.0.1'],
  ])('is no page of %s: %s', async (_what, origin) => nothing(await read({ Email: 'ada@example.com' }, origin)))

  test('may name any port where the setting names none', async () => {
    expect((await read({ Email: 'ada@example.com' }, 'https://shop.example.com:8443')).body).toEqual(ada)
    expect((await read({ Email: 'ada@example.com' }, 'https://SHOP.example.com')).body).toEqual(ada)
  })

  test('is known by its Referer only where it sends no Origin', async () => {
    const readBy = (headers: Record<string, string>) =>
      readOffer(portal.asking(headers), member.account, { Email: 'ada@example.com' })
    const byReferer = await readBy({ referer: `${shop}/summer?from=mail` })
    expect(byReferer.body).toEqual(ada)
    expect(byReferer.headers).not.toHaveProperty('access-control-allow-origin')
    nothing(await readBy({ origin: 'null', referer: shop }))
    nothing(await readBy({ origin: 'https://evil.io', referer: `${shop}/` }))
    nothing(await readBy({ referer: 'https://evil.io/?page=https://shop.example.com/' }))
    nothing(await readBy({ referer: 'about:client' }))
    nothing(await readBy({}))
  })

  test('is not let into another account, an unknown or a suspended one', async () => {
    const other = await memberWithContacts()
    const page = stranger(portal, shop)
    for (const account of [String(other.account), '999999', '0', '-1', 'x', '1e3', '99999999999999999999', '../1']) {
      nothing(
        await page.get(`/contact-service/v1/public/${encodeURIComponent(account)}/offers?Email=ada%40example.com`),
      )
    }
    const suspended = await memberWithContacts()
    await addAccess(suspended)
    expect((await readOffer(page, suspended.account, { Email: 'ada@example.com' })).body).toEqual(ada)
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [
      suspended.account,
    ])
    nothing(await readOffer(page, suspended.account, { Email: 'ada@example.com' }))
  })
})

describe('a preflight', () => {
  const ask = (origin: string, method: string, path: string) =>
    portal.app.inject({
      method: 'OPTIONS',
      url: `/api/contact-service/v1/public/${path}`,
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    })

  test('allows exactly what is used, and only the pages that are let in', async () => {
    const member = await memberWithContacts()
    await addAccess(member)
    const offers = `${member.account}/offers?Email=x`
    const events = `${member.account}/events?Email=x`
    const read = await ask(shop, 'GET', offers)
    expect(read.statusCode).toBe(204)
    expect(read.headers).toMatchObject({
      'access-control-allow-origin': shop,
      'access-control-allow-methods': 'GET',
      vary: 'Origin',
    })
    expect(read.headers).not.toHaveProperty('access-control-allow-headers')
    expect((await ask(shop, 'POST', events)).headers).toMatchObject({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
    })
    for (const refused of [
      await ask('https://evil.io', 'GET', offers),
      await ask('null', 'GET', offers),
      await ask(shop, 'DELETE', offers),
      await ask(shop, 'GET', `${member.account}/offers?City=x`),
    ]) {
      expect(refused.statusCode).toBe(403)
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })
})

describe('the setting of an access', () => {
  let member: Member
  beforeAll(async () => {
    member = await memberWithContacts()
  })
  const read = (origin: string | null, values: Record<string, string>, address?: string) =>
    readOffer(stranger(portal, origin, address), member.account, values)

  test('with sub-domains lets them in at any depth, and no look-alikes', async () => {
    await addAccess(member, { domainOrIp: 'sub.example.com', includeSubDomains: true })
    for (const origin of ['https://sub.example.com', 'https://a.sub.example.com', 'https://b.a.sub.example.com']) {
      expect((await read(origin, { Email: 'ada@example.com' })).body).toEqual(ada)
    }
    for (const origin of [
      'https://asub.example.com',
      'https://a.sub.example.com.evil.io',
      'http://a.sub.example.com',
    ]) {
      nothing(await read(origin, { Email: 'ada@example.com' }))
    }
  })

  test('with a port lets that port in alone, also when it is the usual one', async () => {
    await addAccess(member, { domainOrIp: 'port.example.com:8443' })
    await addAccess(member, { domainOrIp: 'usual.example.com:443' })
    expect((await read('https://port.example.com:8443', { Email: 'ada@example.com' })).body).toEqual(ada)
    nothing(await read('https://port.example.com', { Email: 'ada@example.com' }))
    expect((await read('https://usual.example.com', { Email: 'ada@example.com' })).body).toEqual(ada)
    nothing(await read('https://usual.example.com:8443', { Email: 'ada@example.com' }))
  })

  test('localhost and addresses need no https', async () => {
    await addAccess(member, { domainOrIp: 'localhost:3000' })
    await addAccess(member, { domainOrIp: '10.1.2.3' })
    expect((await read('http://localhost:3000', { Email: 'ada@example.com' })).body).toEqual(ada)
    expect((await read('http://10.1.2.3:8080', { Email: 'ada@example.com' })).body).toEqual(ada)
    nothing(await read('http://[::ffff:10.1.2.3]', { Email: 'ada@example.com' }))
  })

  test('of an address lets programs in, and no page that is opened there', async () => {
    await addAccess(member, { type: 'ip', domainOrIp: '203.0.113.7' })
    await addAccess(member, { type: 'ip', domainOrIp: '::1' })
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '::1', '0:0:0:0:0:0:0:1']) {
      const answer = await read(null, { Email: 'ada@example.com' }, address)
      expect(answer.body).toEqual(ada)
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    }
    for (const address of ['203.0.113.8', '203.0.113.70', '::2', '::ffff:203.0.113.8', '2001:db8::203.0.113.7']) {
      nothing(await read(null, { Email: 'ada@example.com' }, address))
    }
    nothing(await read('https://intranet.example.net', { Email: 'ada@example.com' }, '203.0.113.7'))
    nothing(await read('null', { Email: 'ada@example.com' }, '203.0.113.7'))
  })

  test('of an address is not met by a forwarded address without a trusted proxy', async () => {
    const caller = portal.asking({ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' }, '198.51.100.1')
    nothing(await readOffer(caller, member.account, { Email: 'ada@example.com' }))
  })

  test('by number, date, yes or no, id, PURL, or a pair finds the contact by typed values', async () => {
    const authenticate = async (name: string, columns: string[]) => {
      const filter = JSON.stringify(Object.fromEntries(columns.map((column) => [column, `{{${column}}}`])))
      await addAccess(member, { domainOrIp: `${name}.example.com`, filter })
      return `https://${name}.example.com`
    }
    const byAge = await authenticate('age', ['Age'])
    expect((await read(byAge, { Age: '36.0' })).body).toEqual(ada)
    expect((await read(byAge, { Age: '4.15e1' })).body).toEqual({ 'First Name': 'Eve' })
    for (const age of ['', 'x', '36x', '1e999', 'NaN', 'Infinity', '0x24']) {
      expect(await read(byAge, { Age: age })).toMatchObject(missing)
    }
    const byBirth = await authenticate('born', ['Born'])
    for (const born of ['1815-12-10', '12/10/1815', '1815-12-10T00:00:00Z', '1815-12-10T01:00:00+01:00']) {
      expect((await read(byBirth, { Born: born })).body).toEqual(ada)
    }
    for (const born of ['1815-12-11', '1815-02-30', 'today', 'now', '10.12.1815', '1815-13-01']) {
      expect(await read(byBirth, { Born: born })).toMatchObject(missing)
    }
    const byMember = await authenticate('member', ['Member'])
    expect((await read(byMember, { Member: 'TRUE' })).body).toEqual(ada)
    const byId = await authenticate('id', ['_id'])
    expect((await read(byId, { _id: ids[0] ?? '' })).body).toEqual(ada)
    for (const id of ['0', '1 OR 1=1', '9'.repeat(30), '-1']) {
      expect(await read(byId, { _id: id })).toMatchObject(missing)
    }
    const byPurl = await authenticate('purl', ['purl'])
    expect((await read(byPurl, { purl: ' ADA ' })).body).toEqual(ada)
    expect((await read(byPurl, { purl: 'ada2' })).body).toEqual({ 'First Name': 'Eve' })
    for (const purl of ['ada1', 'ada02', 'ada99999999999', 'ad']) {
      expect(await read(byPurl, { purl })).toMatchObject(missing)
    }
    const byPair = await authenticate('pair', ['Zip', 'First Name'])
    expect((await read(byPair, { 'First Name': 'ada', Zip: '8001' })).body).toEqual(ada)
    expect(await read(byPair, { 'First Name': 'ada8', Zip: '001' })).toMatchObject(missing)
    nothing(await read(byPair, { Zip: '8001' }))
    const byMixedPair = await authenticate('mixed', ['purl', 'City'])
    expect((await read(byMixedPair, { purl: 'ada', City: 'LONDON' })).body).toEqual(ada)
    expect(await read(byMixedPair, { purl: 'ada', City: 'Paris' })).toMatchObject(missing)
  }, 60_000)

  test('of several accesses the closest answers alone, and their columns are never combined', async () => {
    const own = await memberWithContacts()
    const at = (origin: string) => readOffer(stranger(portal, origin), own.account, { Email: 'ada@example.com' })
    await addAccess(own, { domainOrIp: 'example.com', includeSubDomains: true, publicColumns: 'City' })
    await addAccess(own, { domainOrIp: 'shop.example.com', includeSubDomains: true, publicColumns: 'Zip' })
    await addAccess(own, { domainOrIp: 'de.shop.example.com', publicColumns: 'Age' })
    await addAccess(own, { domainOrIp: 'de.shop.example.com', publicColumns: '"First Name"' })
    expect((await at('https://example.com')).body).toEqual({ City: 'London' })
    expect((await at('https://news.example.com')).body).toEqual({ City: 'London' })
    expect((await at('https://shop.example.com')).body).toEqual({ Zip: '8001' })
    expect((await at('https://fr.shop.example.com')).body).toEqual({ Zip: '8001' })
    expect((await at('https://de.shop.example.com')).body).toEqual({ Age: 36 })
  })
})

describe('what is taken away is gone at once', () => {
  let member: Member
  let id: string
  const read = () => readOffer(stranger(portal, shop), member.account, { Email: 'ada@example.com' })
  beforeAll(async () => {
    member = await memberWithContacts()
    id = (await addAccess(member))._id
    expect((await read()).body).toEqual(ada)
  })
  const change = async (changes: Record<string, unknown>) => {
    expect(await member.put(`${accessPath}/${id}`, newAccess(changes))).toMatchObject({ status: 200 })
  }

  test('a public column', async () => {
    await change({ publicColumns: 'City' })
    expect((await read()).body).toEqual({ City: 'London' })
  })
  test('a pause, and its end', async () => {
    await change({ isPaused: true })
    nothing(await read())
    // A client that knows nothing of pauses does not end one.
    await change({})
    nothing(await read())
    await change({ isPaused: false })
    expect((await read()).body).toEqual(ada)
  })
  test('the time of an access', async () => {
    await change({ expiresAt: new Date(Date.now() - 1000).toISOString() })
    nothing(await read())
    await change({ expiresAt: null })
    expect((await read()).body).toEqual(ada)
  })
  test('another authentication column is not served before its index is ready', async () => {
    await change({ filter: '{"City":"{{City}}"}' })
    nothing(await read())
    await untilServed(member, id)
    const byCity = await readOffer(stranger(portal, shop), member.account, { City: 'london' })
    expect(byCity.body).toEqual(ada)
    await change({})
    await untilServed(member, id)
  })
  test('a contact', async () => {
    const filter = [{ $match: { 'First Name': 'Ada' } }]
    expect(await member.delete('/contact-service/v1/offers', { filter, deletedRecords: 1 })).toMatchObject({
      status: 200,
    })
    expect(await read()).toMatchObject(missing)
  })
  test('the access', async () => {
    expect(await member.delete(`${accessPath}/${id}`)).toMatchObject({ status: 204 })
    nothing(await read())
  })
})
