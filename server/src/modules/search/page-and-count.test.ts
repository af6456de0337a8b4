import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  const contacts = Array.from({ length: 30 }, (_contact, at) => ({ Name: `Ann ${at}`, Age: at }))
  await addContacts(portal.parts.database, member.account, { Name: 'string', Age: 'number' }, contacts)
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const some = `find=${json([{ $match: { Age: { $gte: 10 } } }])}`

test('a page comes with the total count', async () => {
  const query = `${some}&sort=${json({ Age: -1 })}&limit=2&skip=1`
  const { body } = await member.get(`${offers}?withCount&${query}`)
  expect(body).toEqual({ rows: (await member.get(`${offers}?${query}`)).body, count: 20 })
  expect(body).toMatchObject({ rows: [{ Age: 28 }, { Age: 27 }] })
})

test.each([
  ['that is not full', 'skip=0&limit=50', 30],
  ['that is the last', 'skip=25&limit=10', 5],
  ['that is just full', 'skip=20&limit=10', 10],
  ['after the last', 'skip=40&limit=10', 0],
])('a page %s comes with the same count', async (_which, page, size) => {
  const rows = Array.from({ length: size }, () => expect.anything())
  expect((await member.get(`${offers}?withCount&${page}`)).body).toEqual({ rows, count: 30 })
})

test('a page does not wait for a count that takes far longer', async () => {
  // A page of one reads one contact, a count all of them.
  const { busy, schema } = await slowAccount(3000, 0.005)
  const { body } = await busy.get(`${offers}?withCount&limit=1`)
  expect(body).toMatchObject({ rows: [{ Name: 'Bob' }], count: null })
  // Counting was stopped, and its connection is usable again.
  await expect.poll(() => isCounting(schema)).toBe(false)
  await portal.parts.database.pool.query(`
    DROP VIEW ${schema}.contacts; ALTER TABLE ${schema}.slowly RENAME TO contacts`)
  expect((await busy.get(`${offers}?count`)).body).toEqual({ count: 3000 })
})

test('the count runs at the same time as a slow page', async () => {
  // A sorted page reads all contacts, as the count does.
  const { busy, schema } = await slowAccount(40, 0.03)
  const asked = busy.get(`${offers}?withCount&limit=2&sort=${json({ Name: 1 })}`)
  await expect.poll(() => atWork(schema)).toHaveLength(2)
  expect((await asked).body).toMatchObject({ rows: [{ Name: 'Bob' }, { Name: 'Bob' }], count: 40 })
  await expect.poll(() => atWork(schema)).toEqual([])
})

test('when the client disconnects, both the page and the count stop', async () => {
  const { busy, schema } = await slowAccount(1, 20)
  await portal.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = portal.app.server.address() as AddressInfo
  const client = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}/api${offers}?withCount`, {
    headers: { authorization: `Bearer ${busy.token}` },
    signal: client.signal,
  })
  await expect.poll(() => isCounting(schema)).toBe(true)
  client.abort()
  await expect(asked).rejects.toThrow('abort')
  await expect.poll(() => atWork(schema), { timeout: 3000 }).toEqual([])
  // Nothing starts later, either.
  await portal.parts.database.pool.query('SELECT pg_sleep(0.3)')
  expect(await atWork(schema)).toEqual([])
})

/** Contacts named Bob, each of which takes this many seconds to read. */
async function slowAccount(contacts: number, seconds: number): Promise<{ busy: Member; schema: string }> {
  const busy = await portal.member(await portal.account())
  const bobs = Array.from({ length: contacts }, () => ({ Name: 'Bob' }))
  await addContacts(portal.parts.database, busy.account, { Name: 'string' }, bobs)
  const schema = `account_${busy.account}`
  await portal.parts.database.pool.query(`
    ANALYZE ${schema}.contacts;
    ALTER TABLE ${schema}.contacts RENAME TO slowly;
    CREATE VIEW ${schema}.contacts AS SELECT * FROM ${schema}.slowly WHERE pg_sleep(${seconds}) IS NOT NULL`)
  return { busy, schema }
}

async function isCounting(schema: string): Promise<boolean> {
  return (await atWork(schema)).some((query) => query.includes('count(*)'))
}

/** The statements that PostgreSQL is running for an account. */
async function atWork(schema: string): Promise<string[]> {
  const { rows } = await portal.parts.database.pool.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
  )
  return rows.flatMap(({ query }) => (query.includes(schema) ? [query] : []))
}

test('other accounts get an empty page, and callers without the right are refused', async () => {
  const stranger = await portal.member(await portal.account())
  expect(await stranger.get(`${offers}?withCount`)).toMatchObject({ status: 200, body: { rows: [], count: 0 } })
  const importer = await portal.member(member.account, 'contact-service::imports::get')
  expect(await importer.get(`${offers}?withCount`)).toMatchObject({ status: 403 })
})

test.each(['count', `aggregate=${json([{ $match: { Age: 1 } }])}`, 'after=1'])(
  'withCount cannot be combined with %s',
  async (other) => {
    expect(await member.get(`${offers}?withCount&${other}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input', details: [{ field: 'withCount' }] } },
    })
  },
)

test('an invalid filter is refused as in any list', async () => {
  expect(await member.get(`${offers}?withCount&find=${json([{ $match: { Nmae: 'Ann' } }])}`)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_filter' } },
  })
})
