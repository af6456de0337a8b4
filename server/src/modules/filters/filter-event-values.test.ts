import { alternatives } from '@portico/domain/pipeline/alternatives'
import { eventsBehind } from '@portico/domain/pipeline/behind'
import { readGrouping } from '@portico/domain/pipeline/grouping'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { matching, withPrefix } from '@portico/domain/pipeline/terms'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Crowd, crowdOf, json } from '#test/kit/crowd.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

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
])('a recorded value keeps its type, and a missing value is absent: %s', async (_name, ...stages) => {
  const rows = await crowd.rowsOf({ $match: { Name: 'Anna Berg' } }, { $unwind: '$events' }, ...stages)
  expect(rows).toEqual([{}, { 'events.price': 12.5, 'events.vip': true, 'events.page': 'Home' }])
})

test('selected columns without a value are absent in rows and null in groups', async () => {
  const ask = async (columns: string, ...stages: unknown[]) => {
    const select = encodeURIComponent(columns)
    return (await crowd.ask(`aggregate=${json(stages)}&select=${select}`)).json<Record<string, unknown>[]>()
  }
  const nameless = { $match: { Name: null } }
  expect(await ask('Name City', nameless, { $addFields: { Double: { $multiply: ['$Age', 2] } } })).toEqual([
    { _id: crowd.ids[5] },
  ])
  const ofAnna = [{ $match: { Name: 'Anna Berg' } }, { $unwind: '$events' }]
  expect(await ask('Name City events.price', ...ofAnna)).toEqual([
    { _id: crowd.ids[0], Name: 'Anna Berg', City: 'Zürich' },
    { _id: crowd.ids[0], Name: 'Anna Berg', City: 'Zürich', 'events.price': 12.5 },
  ])
  const byCity = { $group: { _id: { City: '$City' }, Name: { $max: '$Name' } } }
  expect(await ask('City Name', nameless, byCity)).toEqual([{ City: null, Name: null }])
})

test('events and computed fields also keep the types of recorded values', async () => {
  const unwound = [{ $match: { Name: 'Anna Berg' } }, { $unwind: '$events' }]
  const projected = { $project: { _id: 0, Price: '$events.price', 'events.browser': 1, City: 1 } }
  expect(await crowd.rowsOf(...unwound, projected)).toEqual([
    { 'events.browser': 'Firefox', City: expect.any(String) },
    { Price: 12.5, City: expect.any(String) },
  ])
  const rows = await crowd.rowsOf(...unwound, { $addFields: { Price: '$events.price' } })
  expect(rows.map((row) => row['Price'])).toEqual([undefined, 12.5])
})

describe('the key of a group', () => {
  const unwound = { $unwind: '$events' }
  beforeAll(async () => {
    const ids = crowd.ids.slice(1, 4)
    const plans = [5, '5', 'Free']
    for (const [at, id] of ids.entries()) {
      for (const plan of [plans[at], 40, true]) {
        const event = { event_code: 'plan', event_date: '2026-02-02T13:00:00Z', plan }
        await crowd.member.post(`/contact-service/v1/offers/${id}/events`, event)
      }
    }
  })

  test('keeps the types of recorded values, sorting numbers before texts', async () => {
    const rows = await crowd.rowsOf(unwound, { $group: { _id: '$events.plan', count: { $count: {} } } })
    expect(rows.slice(0, 5)).toEqual([
      { _id: 5, count: 1 },
      { _id: 40, count: 3 },
      { _id: '5', count: 1 },
      { _id: 'Free', count: 1 },
      { _id: true, count: 3 },
    ])
    expect(rows[5]).toMatchObject({ _id: null })
  })

  test('can be matched, sorted, computed with and grouped again', async () => {
    const group = { $group: { _id: { Plan: '$events.plan' }, count: { $count: {} } } }
    expect(await crowd.rowsOf(unwound, group, { $match: { Plan: { $in: [5, 'Free', true] } } })).toEqual([
      { Plan: 5, count: 1 },
      { Plan: 'Free', count: 1 },
      { Plan: true, count: 3 },
    ])
    const dearest = [{ $sort: { Plan: -1 } }, { $limit: 1 }, { $addFields: { Twice: { $multiply: ['$Plan', 2] } } }]
    expect(await crowd.rowsOf(unwound, group, ...dearest)).toEqual([{ Plan: 40, count: 3, Twice: 80 }])
    expect(await crowd.rowsOf(unwound, group, { $group: { _id: '$Plan' } }, { $limit: 2 })).toEqual([
      { _id: 5 },
      { _id: 40 },
    ])
    const kinds = { $group: { _id: null, kinds: { $size: { $addToSet: '$events.plan' } } } }
    expect(await crowd.rowsOf(unwound, kinds)).toEqual([{ kinds: 5 }])
  })

  test('selects only the events of its group, even if a text looks like a number or boolean', async () => {
    const trues = { event_code: 'plan', event_date: '2026-02-02T13:00:00Z', plan: 'true' }
    await crowd.member.post(`/contact-service/v1/offers/${crowd.ids[5]}/events`, trues)
    const stages = parsePipeline([unwound, { $group: { _id: { Plan: '$events.plan' }, count: { $count: {} } } }])
    const groups = await crowd.rowsOf(...writePipeline(stages))
    expect(groups.map(({ Plan }) => Plan)).toEqual(expect.arrayContaining([5, '5', true, 'true', null]))
    for (const { count, ...group } of groups) {
      const behind = eventsBehind(stages, group, [])
      expect(await crowd.rowsOf(...writePipeline(behind ?? []))).toHaveLength(Number(count))
    }
    const grouping = readGrouping(stages, [])
    const both = grouping && alternatives(grouping, [['5'], ['true'], [40]])
    const [{ events } = { events: [] }] = both ?? []
    expect(await crowd.rowsOf(unwound, ...writePipeline(matching(events.map(withPrefix))))).toHaveLength(5)
  })

  test('can be the date of an event', async () => {
    const match = { $match: { 'events.event_code': 'plan' } }
    expect(await crowd.rowsOf(unwound, match, { $group: { _id: '$events.event_date' } })).toEqual([
      { _id: '2026-02-02T13:00:00.000Z' },
    ])
  })
})
