import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'

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

test('a page comes with how many there are in all', async () => {
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

test('nobody waits for a count that takes far longer than the page', async () => {
  const busy = await portal.member(await portal.account())
  const contacts = Array.from({ length: 3000 }, () => ({ Name: 'Bob' }))
  await addContacts(portal.parts.database, busy.account, { Name: 'string' }, contacts)
  // Each contact that is looked at takes five milliseconds: a page of one looks at one, a count at all of them.
  const { pool } = portal.parts.database
  const schema = `account_${busy.account}`
  await pool.query(`
    ANALYZE ${schema}.contacts;
    ALTER TABLE ${schema}.contacts RENAME TO slowly;
    CREATE VIEW ${schema}.contacts AS SELECT * FROM ${schema}.slowly WHERE pg_sleep(0.005) IS NOT NULL`)
  const { body } = await busy.get(`${offers}?withCount&limit=1`)
  expect(body).toMatchObject({ rows: [{ Name: 'Bob' }], count: null })
  // Counting was stopped, and its connection is as good as before.
  await expect.poll(() => isCounting(schema)).toBe(false)
  await pool.query(`DROP VIEW ${schema}.contacts; ALTER TABLE ${schema}.slowly RENAME TO contacts`)
  expect((await busy.get(`${offers}?count`)).body).toEqual({ count: 3000 })
})

async function isCounting(schema: string): Promise<boolean> {
  const { rows } = await portal.parts.database.pool.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()`,
  )
  return rows.some(({ query }) => query.includes('count(*)') && query.includes(schema))
}

test('of another account it tells nothing, and without the right nothing at all', async () => {
  const stranger = await portal.member(await portal.account())
  expect(await stranger.get(`${offers}?withCount`)).toMatchObject({ status: 200, body: { rows: [], count: 0 } })
  const importer = await portal.member(member.account, 'contact-service::imports::get')
  expect(await importer.get(`${offers}?withCount`)).toMatchObject({ status: 403 })
})

test.each(['count', `aggregate=${json([{ $match: { Age: 1 } }])}`, 'after=1'])(
  'it does not go with %s',
  async (other) => {
    expect(await member.get(`${offers}?withCount&${other}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input', details: [{ field: 'withCount' }] } },
    })
  },
)

test('a filter that is wrong is refused as in any list', async () => {
  expect(await member.get(`${offers}?withCount&find=${json([{ $match: { Nmae: 'Ann' } }])}`)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_filter' } },
  })
})
