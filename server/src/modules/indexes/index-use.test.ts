import { internalFields } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildContactIndexes } from '#contacts'
import { compilePipeline, compileSort, openContactSource } from '#filters'
import { addContacts } from '#test/resources/contacts.ts'
import { buildIndex } from '#test/resources/indexes.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

// PostgreSQL uses an index only if it sorts and compares exactly as the conditions of filters do.

let portal: TestPortal
let account: number
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  account = await portal.account()
  const { db, pool } = portal.parts.database
  await addContacts(
    portal.parts.database,
    account,
    { Email: 'string', Age: 'number', Since: 'date', City: 'string' },
    [],
  )
  const schema = `account_${account}`
  await pool.query(
    `INSERT INTO ${schema}.contacts (id, import_id, c1, c2, c3, c4)
     SELECT (1 + i / 1000)::bigint << 33 | i, 1 + i / 1000, 'person' || i || '@example.com', i, '2026-01-01'::timestamptz + i * '1 minute'::interval, 'City ' || i % 500
     FROM generate_series(1, 30000) AS i`,
  )
  await pool.query(
    `INSERT INTO ${schema}.contact_keys (id, purl_scope, base_purl, purl_number, latitude, longitude)
     SELECT (1 + i / 1000)::bigint << 33 | i, 0, 'person' || i || 'x', CASE i % 100 WHEN 0 THEN 2 ELSE 1 END,
       i % 180 - 90 + i / 30000.0, i % 360 - 180
     FROM generate_series(1, 30000) AS i`,
  )
  await buildContactIndexes(db, account)
  const member = await portal.member(account)
  for (const key of [
    [['Email', 1]],
    [['Age', -1]],
    [['Since', 1]],
    [
      ['City', -1],
      ['Age', 1],
    ],
  ]) {
    await buildIndex(member, key)
  }
  await pool.query(`ANALYZE ${schema}.contacts`)
  await pool.query(`ANALYZE ${schema}.contact_keys`)
})
afterAll(() => portal.close())

/** Returns PostgreSQL's plan for a page of contacts, queried as searches do. */
async function planOf(match: Record<string, unknown> | null, sort: Record<string, unknown> | null): Promise<string> {
  const { db } = portal.parts.database
  const { resolve, from } = (await openContactSource(db, account, { rows: null })).scope()
  const { where } = compilePipeline(match ? [{ $match: match }] : [], resolve)
  const order = sort ? sql`${compileSort(sort, resolve)}, contacts.id` : sql`contacts.id`
  return planText(sql`EXPLAIN SELECT contacts.id FROM ${from()} WHERE ${where ?? sql`TRUE`} ORDER BY ${order} LIMIT 20`)
}

async function planText(explain: RawBuilder<unknown>): Promise<string> {
  const { rows } = await explain.execute(portal.parts.database.db)
  return rows.flatMap((row) => Object.values(row as Record<string, string>)).join('\n')
}

const near = { $geoWithin: { $centerSphere: [[10.5, 20.5], 50 / 3963.2] } }

test.each<[string, Record<string, unknown> | null, Record<string, unknown> | null, string]>([
  ['text that is equal', { Email: 'person7@example.com' }, null, 'field_index_1'],
  ['one of several texts', { Email: { $in: ['person7@example.com', 'x'] } }, null, 'field_index_1'],
  ['text in a range', { Email: { $gt: 'person77', $lt: 'person78' } }, null, 'field_index_1'],
  ['the beginning of a text', { Email: { $regex: '^person77' } }, null, 'prefix_index_c1'],
  ['sorted by text', null, { Email: 1 }, 'field_index_1'],
  ['a number', { Age: 12 }, null, 'field_index_2'],
  ['numbers in a range', { Age: { $gte: 12, $lt: 20 } }, null, 'field_index_2'],
  ['sorted by a number, downwards', null, { Age: -1 }, 'field_index_2'],
  ['a day', { Since: '2026-01-05' }, { Since: 1 }, 'field_index_3'],
  ['the first of two fields', { City: 'City 7' }, null, 'field_index_4'],
  ['both of two fields', { City: 'City 7', Age: { $gt: 100 } }, null, 'field_index_4'],
  ['sorted by two fields', null, { City: -1, Age: 1 }, 'field_index_4'],
  ['a PURL', { purl: 'person7x' }, null, 'contact_keys_purl_key'],
  ['a PURL with a number', { purl: 'person7x12' }, null, 'contact_keys_purl_key'],
  ['the base of a PURL', { basePurl: 'person7x' }, null, 'contact_keys_purl_key'],
  ['a place', { location: near }, null, 'contact_keys_location_idx'],
  ['an id', { _id: String(2n ** 33n + 7n) }, null, 'contacts_pkey'],
])('%s is found by the index', async (_what, match, sort, index) => {
  expect(await planOf(match, sort)).toContain(index)
})

/** Returns PostgreSQL's plan for counting matches. */
async function countPlanOf(match: Record<string, unknown>): Promise<string> {
  const { resolve, from } = (await openContactSource(portal.parts.database.db, account, { rows: null })).scope()
  const { where } = compilePipeline([{ $match: match }], resolve)
  return planText(sql`EXPLAIN SELECT count(*) FROM ${from()} WHERE ${where ?? sql`TRUE`}`)
}

test.each([
  ['an import', { Import: '7' }],
  ['one of several imports', { Import: { $in: ['7', 9] } }],
  ['imports from one on', { Import: { $gt: 28 } }],
  ['imports up to one', { Import: { $lte: 1 } }],
])('%s is found by the range of its ids', async (_what, match) => {
  expect(await countPlanOf(match)).toMatch(/contacts_pkey[^]*Index Cond: \(\(?id /)
})

const samples: Record<string, string | number> = {
  _id: String(2n ** 33n + 7n),
  purl: 'person7x12',
  basePurl: 'person7x',
  purlNumber: 2,
  Import: 7,
}

test.each(internalFields)(
  '$name of the portal itself is reported as indexed: $isIndexed',
  async ({ name, isIndexed }) => {
    expect((await countPlanOf({ [name]: samples[name] })).includes('Seq Scan')).toBe(!isIndexed)
  },
)
