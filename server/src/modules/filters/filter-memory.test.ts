import { filterLimits, type Stages } from '@portico/contract/filter'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileAggregate, openContactSource } from './index.ts'
import { outputOf } from './filter-output.ts'
import { toUserError, userQuery } from './user-query.ts'
import { type Db, withConnection } from '#platform/database.ts'
import { readOnSnapshot } from '#platform/reading.ts'
import { type Crowd, crowdOf } from '#test/kit/crowd.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

// The memory that the database takes for the values of groups.

let portal: TestPortal
let crowd: Crowd
beforeAll(async () => {
  portal = await startPortal()
  crowd = await crowdOf(portal)
})
afterAll(() => portal.close())

/** The ways in which the database groups rows: all groups at once (`Hashed`), or one after the other. */
async function strategies(...stages: Stages): Promise<string[]> {
  const { db } = portal.parts.database
  const source = await openContactSource(db, crowd.account, { rows: null })
  const query = outputOf(compileAggregate(stages, source), source).select({ limit: 25, skip: 0 })
  const { rows } = await sql<{ 'QUERY PLAN': object }>`EXPLAIN (FORMAT JSON) ${query}`.execute(db)
  return Array.from(JSON.stringify(rows).matchAll(/"Strategy":"(\w+)"/g), ([, name]) => name ?? '')
}

const some = (then: unknown) => ({ $cond: { if: { Age: { $gt: 0 } }, then } })
const repeated = (count: number, value: object) =>
  Object.fromEntries(Array.from({ length: count }, (_value, at) => [`v${at}`, value]))

test('texts of one group at a time are held, as the memory of many groups grows with them without a limit', async () => {
  expect(await strategies({ $group: { _id: '$City', oldest: { $max: '$Age' }, n: { $sum: 1 } } })).toEqual(['Hashed'])
  const text = { $concat: ['$Name', '!'] }
  for (const last of [{ $max: '$Name' }, { $min: '$Name' }, { $max: some('$Name') }, { $min: text }]) {
    expect(await strategies({ $group: { _id: '$City', last, n: { $sum: 1 } } })).toEqual(['Sorted'])
  }
  // Each group of a pipeline by itself.
  const first = { $group: { _id: { City: '$City', Age: '$Age' }, last: { $max: '$Name' } } }
  expect((await strategies(first, { $group: { _id: '$Age', n: { $sum: 1 } } })).at(-1)).toBe('Sorted')
  expect(await crowd.rowsOf({ $group: { _id: '$City', last: { $max: '$Name' } } }, { $sort: { _id: 1 } })).toEqual([
    { _id: 'Lyon', last: 'Bob' },
    { _id: 'Zürich', last: 'anna lind' },
    { _id: null, last: 'Émile' },
  ])
  expect(await crowd.rowsOf({ $group: { _id: null, last: { $max: '$Name' } } })).toEqual([{ last: 'Émile' }])
})

test('too many texts and numbers of distinct values are refused, as each takes memory of its own', async () => {
  const { extremeTexts, distinctValues } = filterLimits
  const refusals: [object, string][] = [
    [
      repeated(extremeTexts + 1, { $max: '$Name' }),
      `A filter takes "$max" and "$min" of at most ${extremeTexts} texts.`,
    ],
    [
      repeated(distinctValues + 1, { $size: { $addToSet: '$City' } }),
      `A filter takes at most ${distinctValues} numbers of distinct values.`,
    ],
  ]
  for (const [values, message] of refusals) {
    expect(await crowd.refusal({ $group: { _id: '$City', ...values } })).toBe(message)
  }
  const allowed = {
    ...repeated(extremeTexts, { $max: some('$Name') }),
    ...Object.fromEntries(
      Object.entries(repeated(distinctValues, { $size: { $addToSet: '$City' } })).map(([name, value]) => [
        `n${name}`,
        value,
      ]),
    ),
    ...Object.fromEntries(Array.from({ length: 200 }, (_value, at) => [`m${at}`, { $max: '$Age' }])),
  }
  expect(await crowd.rowsOf({ $group: { _id: null, ...allowed } })).toMatchObject([{ v0: 'Bob', nv0: 2, m199: 50 }])
})

test('many sums are computed for one group at a time, as each may grow to all digits of the largest and least numbers', async () => {
  const sums = (count: number) => ({ $group: { _id: '$City', ...repeated(count, { $sum: '$Age' }) } })
  expect(await strategies(sums(20))).toEqual(['Hashed'])
  expect(await strategies(sums(21))).toEqual(['Sorted'])
  const averages = repeated(21, { $divide: [{ $avg: some('$Age') }, { $sum: 1 }] })
  expect(await strategies({ $group: { _id: '$City', ...averages } })).toEqual(['Sorted'])
  expect(await strategies({ $group: { _id: '$City', ...repeated(50, { $sum: 1 }) } })).toEqual(['Hashed'])
  expect(await crowd.rowsOf(sums(21), { $sort: { _id: 1 } })).toMatchObject([{ v20: 52.5 }, { v20: 70 }, { v20: 0 }])
})

test('the sorts and tables of a pipeline are counted, and share the memory of four', async () => {
  const { db } = portal.parts.database
  const source = await openContactSource(db, crowd.account, { rows: null })
  const areas = (...stages: Stages) => outputOf(compileAggregate(stages, source), source).areas
  const group = { $group: { _id: '$City', n: { $sum: 1 } } }
  expect(areas({ $match: { City: 'Lyon' } }, { $sort: { Age: 1 } })).toBe(1)
  expect(areas(group)).toBe(3)
  expect(areas({ $group: { _id: '$City', n: { $sum: '$Age' } } })).toBe(17)
  expect(areas({ $group: { _id: '$City', last: { $max: '$Name' } } })).toBe(2)
  expect(areas(group, { $sort: { n: 1 } }, { $limit: 5 }, { $group: { _id: '$n' } })).toBe(6)
  const distinct = repeated(filterLimits.distinctValues, { $size: { $addToSet: '$City' } })
  expect(areas({ $group: { _id: null, ...distinct } })).toBe(23)
  const workMemory = async (reader: Db) => {
    const { rows } = await sql<{ kb: number }>`
      SELECT setting::float8 AS kb FROM pg_settings WHERE name = 'work_mem'`.execute(reader)
    return rows[0]?.kb ?? 0
  }
  const all = await userQuery({ db }, workMemory)
  expect(await userQuery({ db }, workMemory, 4)).toBe(all)
  expect(await userQuery({ db }, workMemory, 23)).toBe(Math.floor((all * 4) / 23))
  await expect(userQuery({ db }, (reader) => sql`SELECT 1 / 0`.execute(reader), 23)).rejects.toThrow('division')
  // On all connections, and in the one transaction of a report.
  expect(await Promise.all(Array.from({ length: 20 }, () => userQuery({ db }, workMemory)))).toEqual(
    Array(20).fill(all),
  )
  await withConnection(portal.parts.database, async ({ client }) => {
    await client.query('BEGIN')
    const snapshot = await readOnSnapshot(db, client)
    const read = (areasOf?: number) => userQuery({ db: snapshot }, workMemory, areasOf)
    expect([await read(), await read(23), await read()]).toEqual([all, Math.floor((all * 4) / 23), all])
    await expect(userQuery({ db: snapshot }, (reader) => sql`SELECT 1 / 0`.execute(reader), 23)).rejects.toThrow(
      'division',
    )
    expect(await read()).toBe(all)
    await client.query('ROLLBACK')
  })
})

test('long texts that differ at their end, and values of several types, are distinct', async () => {
  const size = async (field: string, ...stages: Stages) =>
    crowd.rowsOf(...stages, { $group: { _id: null, n: { $size: { $addToSet: `$${field}` } } } })
  const long = 'x'.repeat(30_000)
  expect(await size('Long', { $addFields: { Long: { $concat: [{ $literal: long }, '$Name'] } } })).toEqual([{ n: 5 }])
  expect(await size('City')).toEqual([{ n: 2 }])
  expect(await size('Age')).toEqual([{ n: 5 }])
})

test('a query that needs more temporary files than the server allows ends with a reason', () => {
  const error = Object.assign(new Error('temporary file size exceeds temp_file_limit'), { code: '53400' })
  expect(toUserError(error)).toMatchObject({ code: 'timed_out', message: expect.stringContaining('too much to sort') })
})
