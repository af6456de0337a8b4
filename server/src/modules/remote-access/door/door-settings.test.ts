import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openLookups } from '#platform/strangers/lookups.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import {
  accessPath,
  ada,
  addAccess,
  learnt,
  memberWithContacts,
  newAccess,
  noLimits,
  nothing,
  readOffer,
  stranger,
  untilServed,
} from '#test/resources/remote-accesses.ts'
import { selectAccesses } from '../remote-accesses.queries.ts'
import { planAccesses } from './door-plan.service.ts'

// Callers that the settings of an access let in. A changed setting applies from the next call on.

const shop = 'https://shop.example.com'
const missing = { status: 404, body: { error: { code: 'not_found' } } }

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
})
afterAll(() => portal.close())

describe('the setting of an access', () => {
  let member: Member & { ids: string[] }
  beforeAll(async () => {
    member = await memberWithContacts(portal)
  })
  const read = (origin: string | null, values: Record<string, string>, address?: string) =>
    readOffer(stranger(portal, origin, address), member.account, values)

  test('with sub-domains allows them at any depth, and no look-alikes', async () => {
    await addAccess(member, { domainOrIp: 'sub.example.com', includeSubDomains: true })
    for (const origin of ['https://sub.example.com', 'https://a.sub.example.com', 'https://b.a.sub.example.com']) {
      expect((await read(origin, { Email: 'ada@example.com' })).body).toEqual(ada)
    }
    for (const origin of [
      'https://asub.example.com',
      'https://a.sub.example.com.evil.io',
      'http://a.sub.example.com',
      'https://.sub.example.com',
      'https://a..sub.example.com',
    ]) {
      expect(learnt(await read(origin, { Email: 'ada@example.com' }))).toEqual(nothing)
    }
  })

  test('with a port allows only that port, even if it is the usual one', async () => {
    await addAccess(member, { domainOrIp: 'port.example.com:8443' })
    await addAccess(member, { domainOrIp: 'usual.example.com:443' })
    expect((await read('https://port.example.com:8443', { Email: 'ada@example.com' })).body).toEqual(ada)
    expect(learnt(await read('https://port.example.com', { Email: 'ada@example.com' }))).toEqual(nothing)
    expect((await read('https://usual.example.com', { Email: 'ada@example.com' })).body).toEqual(ada)
    expect(learnt(await read('https://usual.example.com:8443', { Email: 'ada@example.com' }))).toEqual(nothing)
  })

  test('for localhost and IP addresses does not require https', async () => {
    await addAccess(member, { domainOrIp: 'localhost:3000' })
    await addAccess(member, { domainOrIp: '10.1.2.3' })
    expect((await read('http://localhost:3000', { Email: 'ada@example.com' })).body).toEqual(ada)
    expect((await read('http://10.1.2.3:8080', { Email: 'ada@example.com' })).body).toEqual(ada)
    expect(learnt(await read('http://[::ffff:10.1.2.3]', { Email: 'ada@example.com' }))).toEqual(nothing)
  })

  test('for an address allows programs, and no page that is opened there', async () => {
    await addAccess(member, { type: 'ip', domainOrIp: '203.0.113.7' })
    await addAccess(member, { type: 'ip', domainOrIp: '::1' })
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '::1', '0:0:0:0:0:0:0:1']) {
      const answer = await read(null, { Email: 'ada@example.com' }, address)
      expect(answer.body).toEqual(ada)
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    }
    for (const address of ['203.0.113.8', '203.0.113.70', '::2', '::ffff:203.0.113.8', '2001:db8::203.0.113.7']) {
      expect(learnt(await read(null, { Email: 'ada@example.com' }, address))).toEqual(nothing)
    }
    expect(learnt(await read('https://intranet.example.net', { Email: 'ada@example.com' }, '203.0.113.7'))).toEqual(
      nothing,
    )
    expect(learnt(await read('null', { Email: 'ada@example.com' }, '203.0.113.7'))).toEqual(nothing)
    const readAs = (site: string) =>
      readOffer(portal.asking({ 'sec-fetch-site': site }, '203.0.113.7'), member.account, { Email: 'ada@example.com' })
    // A prefetch has no origin, but pages learn whether it succeeds.
    for (const site of ['cross-site', 'same-site', 'same-origin']) expect(learnt(await readAs(site))).toEqual(nothing)
    const from = (referer: string) =>
      readOffer(portal.asking({ referer }, '203.0.113.7'), member.account, { Email: 'ada@example.com' })
    // Some old browsers and proxies send nothing else with an image or a script of a page.
    for (const referer of ['https://evil.io/', 'http://203.0.113.7/', 'about:client'])
      expect(learnt(await from(referer))).toEqual(nothing)
    // A person types the address.
    expect((await readAs('none')).body).toEqual(ada)
  })

  test('for an address does not match a forwarded address without a trusted proxy', async () => {
    const caller = portal.asking({ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' }, '198.51.100.1')
    expect(learnt(await readOffer(caller, member.account, { Email: 'ada@example.com' }))).toEqual(nothing)
  })

  test('by number, date, boolean, id, PURL or a pair finds the contact by typed values', async () => {
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
    expect((await read(byId, { _id: member.ids[0] ?? '' })).body).toEqual(ada)
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
    expect(learnt(await read(byPair, { Zip: '8001' }))).toEqual(nothing)
    const byMixedPair = await authenticate('mixed', ['purl', 'City'])
    expect((await read(byMixedPair, { purl: 'ada', City: 'LONDON' })).body).toEqual(ada)
    expect(await read(byMixedPair, { purl: 'ada', City: 'Paris' })).toMatchObject(missing)
  }, 60_000)

  test('with several matches uses only the closest, and never combines their columns', async () => {
    const own = await memberWithContacts(portal)
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

describe('changes take effect at once', () => {
  let member: Member
  let id: string
  const read = () => readOffer(stranger(portal, shop), member.account, { Email: 'ada@example.com' })
  beforeAll(async () => {
    member = await memberWithContacts(portal)
    id = (await addAccess(member))._id
  })
  const change = async (changes: Record<string, unknown>) => {
    expect(await member.put(`${accessPath}/${id}`, newAccess(changes))).toMatchObject({ status: 200 })
  }

  test('removing a public column', async () => {
    expect((await read()).body).toEqual(ada)
    await change({ publicColumns: 'City' })
    expect((await read()).body).toEqual({ City: 'London' })
  })
  test('pausing and resuming', async () => {
    await change({ isPaused: true })
    expect(learnt(await read())).toEqual(nothing)
    // A client that does not know pauses does not end one.
    await change({})
    expect(learnt(await read())).toEqual(nothing)
    await change({ isPaused: false })
    expect((await read()).body).toEqual(ada)
  })
  test('the expiry of an access', async () => {
    await change({ expiresAt: new Date(Date.now() - 1000).toISOString() })
    expect(learnt(await read())).toEqual(nothing)
    await change({ expiresAt: null })
    expect((await read()).body).toEqual(ada)
  })
  test('a new authentication column is not served before its index is ready', async () => {
    await change({ filter: '{"City":"{{City}}"}' })
    expect(learnt(await read())).toEqual(nothing)
    await untilServed(member, id)
    const byCity = await readOffer(stranger(portal, shop), member.account, { City: 'london' })
    expect(byCity.body).toEqual(ada)
    await change({})
    await untilServed(member, id)
  })
  test('deleting a contact', async () => {
    const filter = [{ $match: { 'First Name': 'Ada' } }]
    expect(await member.delete('/contact-service/v1/offers', { filter, deletedRecords: 1 })).toMatchObject({
      status: 200,
    })
    expect(await read()).toMatchObject(missing)
  })
  test('deleting the access', async () => {
    expect(await member.delete(`${accessPath}/${id}`)).toMatchObject({ status: 204 })
    expect(learnt(await read())).toEqual(nothing)
  })
})

test('calls continue while an import changes the type of an authentication column', async () => {
  const member = await portal.member(await portal.account())
  const load = (rows: string) =>
    importFile(portal, member, `Email,Size\n${rows}\n`, {
      typeCasting: true,
      onMismatch: 'text',
      dedupColumns: ['Email'],
    })
  await load('ada@example.com,38')
  await addAccess(member, { filter: '{"Size":"{{Size}}"}', publicColumns: 'Email' })
  const found: number[] = []
  let isOver = false
  const calls = async (): Promise<void> => {
    while (!isOver) found.push((await readOffer(stranger(portal, shop), member.account, { Size: '38' })).status)
  }
  const calling = calls()
  await load(Array.from({ length: 20_000 }, (_each, at) => `${at}@example.com,size ${at}`).join('\n'))
  isOver = true
  await calling
  expect(new Set(found)).toEqual(new Set([200]))
  expect(await readOffer(stranger(portal, shop), member.account, { Size: 'SIZE 7' })).toMatchObject({
    status: 200,
    body: { Email: '7@example.com' },
  })
})

test('a statement for earlier column types is refused, instead of reading all contacts', async () => {
  const member = await portal.member(await portal.account())
  const { database, log } = portal.parts
  const lookups = openLookups(database.url, log)
  onTestFinished(lookups.close)
  await addContacts(database, member.account, { Size: 'number', Born: 'day' }, [{ Size: 38, Born: '2024-04-25' }])
  await addAccess(member, { filter: '{"Size":"{{Size}}","Born":"{{Born}}"}', publicColumns: 'Size' })
  const [access] = await planAccesses(database.db, member.account, await selectAccesses(database.db, member.account))
  const [statement] = [access?.statement?.of(new Map([['size', '38']]))]
  if (!statement) throw new Error('The access cannot be served.')
  expect(await lookups.read(member.account, [statement])).toHaveLength(1)
  await addContacts(database, member.account, { Born: 'date' }, [])
  await expect(lookups.read(member.account, [statement])).rejects.toMatchObject({ code: '42883' })
})

test('new settings apply while the database has no time for contacts', async () => {
  const member = await memberWithContacts(portal)
  const { _id } = await addAccess(member)
  const read = () => readOffer(stranger(portal, shop), member.account, { Email: 'ada@example.com' })
  expect(await read()).toMatchObject({ status: 200 })
  const client = await portal.parts.database.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`LOCK TABLE account_${member.account}.contacts`)
    expect(await read()).toMatchObject({ status: 503 })
    expect(await member.put(`${accessPath}/${_id}`, newAccess({ isPaused: true }))).toMatchObject({ status: 200 })
    expect(learnt(await read())).toEqual(nothing)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('a column widened by an import is still served, for authentication and as a public column', async () => {
  const member = await portal.member(await portal.account())
  const load = (row: string) =>
    importFile(portal, member, `Email,Born,Size\n${row}\n`, {
      typeCasting: true,
      onMismatch: 'text',
      dedupColumns: ['Email'],
    })
  await load('ada@example.com,2024-04-25,38')
  const byDay = { filter: '{"Born":"{{Born}}"}', publicColumns: 'Email Born Size' }
  const { _id } = await addAccess(member, byDay)
  const read = async () => {
    await untilServed(member, _id)
    return readOffer(stranger(portal, shop), member.account, { Born: '2024-04-25' })
  }
  const [email, day, midnight] = ['ada@example.com', '2024-04-25', '2024-04-25T00:00:00.000Z']
  expect((await read()).body).toEqual({ Email: email, Born: day, Size: 38 })
  await load('eve@example.com,2024-05-01,large')
  expect((await read()).body).toEqual({ Email: email, Born: day, Size: '38' })
  await load('tom@example.com,2024-05-01T09:30:00,1')
  expect((await read()).body).toEqual({ Email: email, Born: midnight, Size: '38' })
  await load('tim@example.com,unknown,1')
  expect(await read()).toMatchObject(missing)
})
