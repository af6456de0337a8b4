import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Crowd, crowdOf } from '#test/crowd.ts'
import { startPortal, type TestPortal } from '#test/portal.ts'

let portal: TestPortal
let crowd: Crowd

beforeAll(async () => {
  portal = await startPortal()
  crowd = await crowdOf(portal)
})
afterAll(() => portal.close())

test.each([
  ['named by itself', { $project: { _id: 0, 'events.price': 1, 'events.vip': 1, 'events.page': 1 } }],
  ['after a cut', { $limit: 3 }, { $project: { _id: 0, 'events.price': 1, 'events.vip': 1, 'events.page': 1 } }],
])('a value that an application recorded keeps its type, and is absent without one: %s', async (_name, ...stages) => {
  const rows = await crowd.rowsOf({ $match: { Name: 'Anna Berg' } }, { $unwind: '$events' }, ...stages)
  expect(rows).toEqual([{}, { 'events.price': 12.5, 'events.vip': true, 'events.page': 'Home' }])
})

test('an event and a computed field keep the types of recorded values too', async () => {
  const unwound = [{ $match: { Name: 'Anna Berg' } }, { $unwind: '$events' }]
  const projected = { $project: { _id: 0, Price: '$events.price', 'events.browser': 1, City: 1 } }
  expect(await crowd.rowsOf(...unwound, projected)).toEqual([
    { 'events.browser': 'Firefox', City: expect.any(String) },
    { Price: 12.5, City: expect.any(String) },
  ])
  const rows = await crowd.rowsOf(...unwound, { $addFields: { Price: '$events.price' } })
  expect(rows.map((row) => row['Price'])).toEqual([undefined, 12.5])
})
