import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import {
  ada,
  addAccess,
  learnt,
  memberWithContacts,
  noLimits,
  nothing,
  readOffer,
  stranger,
} from '#test/resources/remote-accesses.ts'

// Calls of strangers: which senders are let in, which contact is served, and that other callers learn nothing.

const shop = 'https://shop.example.com'
const missing = { status: 404, body: { error: { code: 'not_found' } } }

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
})
afterAll(() => portal.close())

describe('an allowed page', () => {
  let member: Member
  beforeAll(async () => {
    member = await memberWithContacts(portal)
    await addAccess(member)
  })
  const read = (values: Record<string, string> | string, origin: string | null = shop) =>
    readOffer(stranger(portal, origin), member.account, values)

  test('reads the public columns of the one contact, omitting those without a value', async () => {
    const answer = await read({ Email: 'ada@example.com' })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual(ada)
    expect((await read({ Email: 'eve@example.com' })).body).toEqual({ 'First Name': 'Eve' })
  })

  test('gets headers that let it read this one response', async () => {
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

  test.each([
    ' ADA@example.COM\t',
    'ada@example.com\u00a0',
    '\r\nAda@Example.com',
    '\u200bada@example.com\u3000\ufeff',
  ])('finds the contact by the value %j, as dedup would', async (email) =>
    expect((await read({ Email: email })).body).toEqual(ada),
  )

  test('may write the column name in any letter case', async () => {
    expect((await read('eMAIL=ada%40example.com')).body).toEqual(ada)
  })

  test.each(['unknown@example.com', 'twin@example.com', '', '   ', '\0', '%', '_', 'ada@example.co_', '*', '.*'])(
    'gets the same 404 for none and for several contacts with %j',
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
  ])('is refused if its query names %s', async (_what, query) => expect(learnt(await read(query))).toEqual(nothing))

  test('is refused with 400 if a name is repeated, in any letter case', async () => {
    for (const query of ['Email=a&Email=b', 'Email=ada%40example.com&email=ada%40example.com']) {
      expect(await read(query)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    }
  })

  test('cannot pass operators: their JSON is treated as text', async () => {
    expect(await read({ Email: '{"$ne":""}' })).toMatchObject(missing)
    expect(await read({ Email: "' OR 1=1 --" })).toMatchObject(missing)
  })

  test('gets the same response with any credentials', async () => {
    for (const authorization of [`Bearer ${member.token}`, 'Bearer a.b.c', 'Basic !']) {
      const caller = portal.asking({ origin: shop, authorization, cookie: 'session=1' })
      expect((await readOffer(caller, member.account, { Email: 'ada@example.com' })).body).toEqual(ada)
    }
    expect(learnt(await readOffer(portal.holder(member.token), member.account, { Email: 'ada@example.com' }))).toEqual(
      nothing,
    )
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
  ])('does not match %s: %s', async (_what, origin) =>
    expect(learnt(await read({ Email: 'ada@example.com' }, origin))).toEqual(nothing),
  )

  test('may use any port if the setting names none', async () => {
    expect((await read({ Email: 'ada@example.com' }, 'https://shop.example.com:8443')).body).toEqual(ada)
    expect((await read({ Email: 'ada@example.com' }, 'https://SHOP.example.com')).body).toEqual(ada)
  })

  test('is identified by its Referer only if it sends no Origin', async () => {
    const readBy = (headers: Record<string, string>) =>
      readOffer(portal.asking(headers), member.account, { Email: 'ada@example.com' })
    const byReferer = await readBy({ referer: `${shop}/summer?from=mail` })
    expect(byReferer.body).toEqual(ada)
    expect(byReferer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(learnt(await readBy({ origin: 'null', referer: shop }))).toEqual(nothing)
    expect(learnt(await readBy({ origin: 'https://evil.io', referer: `${shop}/` }))).toEqual(nothing)
    expect(learnt(await readBy({ referer: 'https://evil.io/?page=https://shop.example.com/' }))).toEqual(nothing)
    expect(learnt(await readBy({ referer: 'about:client' }))).toEqual(nothing)
    expect(learnt(await readBy({}))).toEqual(nothing)
  })

  test('has no access to another, an unknown or a suspended account', async () => {
    const other = await memberWithContacts(portal)
    const page = stranger(portal, shop)
    for (const account of [String(other.account), '999999', '0', '-1', 'x', '1e3', '99999999999999999999', '../1']) {
      expect(
        learnt(
          await page.get(`/contact-service/v1/public/${encodeURIComponent(account)}/offers?Email=ada%40example.com`),
        ),
      ).toEqual(nothing)
    }
    // Other spellings of the account's number do not reach the account.
    for (const account of [`${member.account}.0`, `+${member.account}`, ` ${member.account}`, `0${member.account}`]) {
      expect(learnt(await readOffer(page, account, { Email: 'ada@example.com' }))).toEqual(nothing)
    }
    const suspended = await memberWithContacts(portal)
    await addAccess(suspended)
    expect((await readOffer(page, suspended.account, { Email: 'ada@example.com' })).body).toEqual(ada)
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [
      suspended.account,
    ])
    expect(learnt(await readOffer(page, suspended.account, { Email: 'ada@example.com' }))).toEqual(nothing)
  })
})

describe('a preflight', () => {
  const ask = (origin: string, method: string, path: string) =>
    portal.app.inject({
      method: 'OPTIONS',
      url: `/api/contact-service/v1/public/${path}`,
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    })

  test('allows exactly what is used, and only for allowed pages', async () => {
    const member = await memberWithContacts(portal)
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

test('two values containing the key separator are distinguished', async () => {
  const account = await portal.account()
  const rows = [
    { K1: 'x\u001Fy', K2: 'z', V: 'first' },
    { K1: 'x', K2: 'y\u001Fz', V: 'second' },
  ]
  await addContacts(portal.parts.database, account, { K1: 'string', K2: 'string', V: 'string' }, rows)
  const member = await portal.member(account)
  await addAccess(member, { filter: '{"K1":"{{K1}}","K2":"{{K2}}"}', publicColumns: 'V' })
  const read = (K1: string, K2: string) => readOffer(stranger(portal, shop), account, { K1, K2 })
  expect((await read('x\u001Fy', 'z')).body).toEqual({ V: 'first' })
  expect((await read('X ', 'y\u001Fz')).body).toEqual({ V: 'second' })
  expect(await read('x\u001Fy\u001Fz', '')).toMatchObject(missing)
})
