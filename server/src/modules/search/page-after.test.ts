import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openContactSource, readSort, type Sql } from '#filters'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { contactIds, pagesAfter } from './contact-rows.queries.ts'

let portal: TestPortal
let member: Member
let ids: string[]

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  const names = ['b', 'a', null, 'B', 'á', 'a', null]
  const contacts = Array.from({ length: 60 }, (_contact, at) => ({
    Name: names[at % names.length] ?? null,
    Age: at % 11 === 0 ? null : at % 5,
    Since: at % 3 === 0 ? null : `2026-01-0${1 + (at % 2)}T00:00:00.000${at % 4}Z`,
  }))
  ids = await addContacts(
    portal.parts.database,
    member.account,
    { Name: 'string', Age: 'number', Since: 'date' },
    contacts,
  )
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const idsOf = async (query: string) =>
  (await member.get(`${offers}?select=_id&${query}`)).json<{ _id: string }[]>().map(({ _id }) => _id)

test.each<[Record<string, 1 | -1> | null]>([
  [null],
  [{ Name: 1 }],
  [{ Name: -1 }],
  [{ Age: 1, Name: -1 }],
  [{ Age: -1, Since: 1 }],
  [{ Since: -1, Age: 1, Name: 1 }],
  [{ _id: -1 }],
])('paging sorted by %j returns every contact once and in order', async (sort) => {
  const order = sort ? `&sort=${json(sort)}` : ''
  const all = await idsOf(`limit=1000${order}`)
  const paged: string[] = []
  for (;;) {
    const after = paged.length === 0 ? '' : `&after=${paged.at(-1)}`
    const page = await idsOf(`limit=7${order}${after}`)
    paged.push(...page)
    if (page.length < 7) break
  }
  expect(paged).toEqual(all)
  expect(all).toHaveLength(ids.length)
})

test('continues within a filter', async () => {
  const find = `find=${json([{ $match: { Age: { $gte: 3 } } }])}&sort=${json({ Age: -1 })}`
  const all = await idsOf(`limit=1000&${find}`)
  expect(await idsOf(`limit=1000&${find}&after=${all[4]}`)).toEqual(all.slice(5))
})

test.each([
  ['after=1', 'after: This contact does not exist.'],
  ['after=x', 'after: It must be the id of a contact.'],
  ['after=1&skip=5', 'after: It replaces "skip", and cannot be combined with "count".'],
  ['after=1&count=', 'after: It replaces "skip", and cannot be combined with "count".'],
  ['after=1&aggregate=[]', 'after: It cannot be combined with "aggregate".'],
])('refuses %s', async (query, message) => {
  expect((await member.get(`${offers}?${query}`)).body).toMatchObject({ error: { code: 'invalid_input', message } })
})

test('a page after a hundred thousand contacts reads no more than the first page', async () => {
  const account = await portal.account()
  const reader = await portal.member(account)
  await addContacts(portal.parts.database, account, { Rank: 'number' }, [])
  const { pool } = portal.parts.database
  await pool.query(
    `INSERT INTO account_${account}.contacts (id, import_id, c1) SELECT i, 1, 200000 - i FROM generate_series(1, 120000) i`,
  )
  await pool.query(`CREATE INDEX by_rank ON account_${account}.contacts (c1)`)
  await pool.query(`ANALYZE account_${account}.contacts`)
  const byRank = `sort=${json({ Rank: 1 })}`
  expect((await reader.get(`${offers}?limit=2&${byRank}&after=10001`)).body).toMatchObject([
    { _id: '10000' },
    { _id: '9999' },
  ])
  const { db } = portal.parts.database
  const scope = (await openContactSource(db, account, { rows: null })).scope()
  const orders = readSort({ Rank: 1 }, scope.resolve)
  const page = { from: scope.from(), orders, where: null, limit: 5, skip: 0 }
  const unsorted = { ...page, orders: [] }
  for (const parts of [pagesAfter(page, '10001', [false]), pagesAfter(unsorted, '110000', [])]) {
    for (const part of parts) expect(await rowsRead(contactIds(part))).toBeLessThan(40)
  }
  expect(await rowsRead(contactIds({ ...page, skip: 100_000 }))).toBeGreaterThan(100_000)
}, 30_000)

/** Number of rows that PostgreSQL reads anywhere in the plan of a query; with Citus also in the plan of the other server. */
async function rowsRead(query: Sql): Promise<number> {
  const { rows } = await sql<object>`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`.execute(portal.parts.database.db)
  const read = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 0
    const plan = part as { 'Actual Rows'?: number; 'Actual Loops'?: number; 'Rows Removed by Filter'?: number }
    const own = (plan['Actual Loops'] ?? 0) * ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0))
    return Object.values(part).reduce<number>((sum, each) => sum + read(each), own)
  }
  return read(rows)
}

test('pages beyond a hundred thousand contacts', async () => {
  const account = await portal.account()
  const member = await portal.member(account)
  await addContacts(portal.parts.database, account, { Rank: 'number' }, [])
  await portal.parts.database.pool.query(
    `INSERT INTO account_${account}.contacts (id, import_id, c1) SELECT i, 1, 200000 - i FROM generate_series(1, 120000) i`,
  )
  const page = await member.get(`${offers}?sort=${json({ Rank: 1 })}&skip=110000&limit=3`)
  expect(page.body).toMatchObject([{ _id: '10000' }, { _id: '9999' }, { _id: '9998' }])
  expect((await member.get(`${offers}?skip=120000`)).body).toEqual([])
})
