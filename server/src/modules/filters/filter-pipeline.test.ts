import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Crowd, crowdOf, json, people } from '#test/kit/crowd.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let crowd: Crowd

beforeAll(async () => {
  portal = await startPortal()
  crowd = await crowdOf(portal)
})
afterAll(() => portal.close())

describe('a pipeline returns', () => {
  test.each<[string, unknown[], unknown[]]>([
    [
      'groups by a field, in its order, those without a value last',
      [{ $group: { _id: '$City', n: { $sum: 1 }, age: { $avg: '$Age' } } }],
      [
        { _id: 'Lyon', n: 2, age: 26.25 },
        { _id: 'Zürich', n: 2, age: 35 },
        { _id: null, n: 2, age: 0 },
      ],
    ],
    [
      'all accumulators at once',
      [
        {
          $group: {
            _id: null,
            n: { $count: {} },
            sum: { $sum: '$Age' },
            least: { $min: '$Since' },
            most: { $max: '$Age' },
            member: { $max: '$Member' },
            first: { $min: '$Name' },
            cities: { $size: { $addToSet: '$City' } },
          },
        },
      ],
      [{ n: 6, sum: 122.5, least: '2025-07-05T12:00:00.000Z', most: 50, member: true, first: 'Anna Berg', cities: 2 }],
    ],
    [
      'the different values',
      [{ $group: { _id: { City: '$City' } } }],
      [{ City: 'Lyon' }, { City: 'Zürich' }, { City: null }],
    ],
    [
      'groups by two keys, one a part of a date in the time zone of the account',
      [
        { $match: { Since: { $exists: true } } },
        { $group: { _id: { Month: { $month: '$Since' }, Member: '$Member' }, n: { $sum: 1 } } },
      ],
      [
        { Month: 1, Member: false, n: 1 },
        { Month: 1, Member: true, n: 1 },
        { Month: 2, Member: null, n: 1 },
        { Month: 7, Member: null, n: 1 },
      ],
    ],
    [
      'every part of a date',
      [
        { $match: { Name: 'Anna Berg' } },
        {
          $project: {
            _id: 0,
            y: { $year: '$Since' },
            m: { $month: '$Since' },
            d: { $dayOfMonth: '$Since' },
            h: { $hour: '$Since' },
            w: { $dayOfWeek: '$Since' },
          },
        },
      ],
      [{ y: 2026, m: 1, d: 31, h: 18, w: 7 }],
    ],
    [
      'groups by what contacts have done',
      [
        { $unwind: '$events' },
        {
          $group: {
            _id: '$events.event_code',
            n: { $sum: 1 },
            price: { $sum: '$events.price' },
            who: { $size: { $addToSet: '$_id' } },
          },
        },
      ],
      [
        { _id: 'click', n: 2, price: 12.5, who: 2 },
        { _id: 'open', n: 2, price: 0, who: 2 },
      ],
    ],
    [
      'groups by the hour of events that match',
      [
        { $unwind: '$events' },
        { $match: { 'events.browser': 'Firefox' } },
        { $group: { _id: { $hour: '$events.event_date' }, n: { $count: {} } } },
      ],
      [
        { _id: 8, n: 1 },
        { _id: 23, n: 1 },
      ],
    ],
    ['counts', [{ $match: { City: 'Lyon' } }, { $count: 'people' }], [{ people: 2 }]],
    ['counts nothing', [{ $match: { City: 'Rome' } }, { $count: 'people' }], [{ people: 0 }]],
    ['counts groups', [{ $group: { _id: '$City' } }, { $count: 'cities' }], [{ cities: 3 }]],
    [
      'filters, sorts and cuts groups',
      [
        { $group: { _id: '$City', n: { $sum: '$Age' } } },
        { $match: { n: { $gt: 0 } } },
        { $sort: { n: -1 } },
        { $skip: 1 },
        { $limit: 1 },
      ],
      [{ _id: 'Lyon', n: 52.5 }],
    ],
    [
      'computes',
      [
        { $match: { Age: { $gte: 2 } } },
        { $sort: { Age: 1 } },
        { $limit: 2 },
        {
          $project: {
            _id: 0,
            sum: { $add: ['$Age', 1, 2] },
            less: { $subtract: ['$Age', 1] },
            twice: { $multiply: ['$Age', 2] },
            half: { $divide: ['$Age', 2] },
            whole: { $round: '$Age' },
            one: { $round: [{ $divide: ['$Age', 4] }, 1] },
            text: { $concat: ['<', { $toString: '$Age' }, '>'] },
            yes: { $toString: '$Member' },
          },
        },
      ],
      [
        { sum: 5.5, less: 1.5, twice: 5, half: 1.25, whole: 3, one: 0.6, text: '<2.5>', yes: 'true' },
        { sum: 33, less: 29, twice: 60, half: 15, whole: 30, one: 7.5, text: '<30>', yes: 'true' },
      ],
    ],
    [
      'has no value where one is missing, or where something is divided by zero',
      [
        { $match: { $or: [{ Age: 0 }, { Age: null }] } },
        {
          $project: {
            _id: 0,
            over: { $divide: [1, '$Age'] },
            more: { $add: ['$Age', 1] },
            at: { $concat: ['$City', '!'] },
          },
        },
      ],
      [
        { over: null, more: 1, at: null },
        { over: null, more: null, at: null },
      ],
    ],
    [
      'computes with what was computed, also of groups',
      [
        { $group: { _id: '$City', n: { $sum: 1 } } },
        { $addFields: { double: { $multiply: ['$n', 2] } } },
        { $addFields: { n: { $add: ['$double', 1] } } },
        { $limit: 1 },
      ],
      [{ _id: 'Lyon', double: 4, n: 5 }],
    ],
    [
      'goes on with what is left after a cut',
      [
        { $sort: { Age: -1 } },
        { $limit: 3 },
        { $match: { City: 'Zürich' } },
        { $group: { _id: '$City', n: { $sum: 1 } } },
      ],
      [{ _id: 'Zürich', n: 2 }],
    ],
    [
      'a constant that looks like a field',
      [{ $limit: 1 }, { $project: { _id: 0, x: { $literal: '$Name' }, y: 'plain', z: { $literal: true } } }],
      [{ x: '$Name', y: 'plain', z: true }],
    ],
    ['nothing, of nobody', [{ $match: { Age: -1 } }, { $group: { _id: null, n: { $sum: 1 } } }], []],
    [
      'a computed field that is sorted and filtered by',
      [
        { $addFields: { twice: { $multiply: ['$Age', 2] } } },
        { $match: { twice: { $gte: 60 } } },
        { $sort: { twice: -1 } },
        { $project: { _id: 0, twice: 1 } },
      ],
      [{ twice: 100 }, { twice: 80 }, { twice: 60 }],
    ],
  ])('%s', async (_what, stages, expected) => {
    expect(await crowd.rowsOf(...stages)).toEqual(expected)
  })

  test('unchanged contacts with the added fields', async () => {
    expect(
      await crowd.rowsOf({ $match: { Name: 'Anna Berg' } }, { $addFields: { Age: { $add: ['$Age', 1] }, New: 'x' } }),
    ).toEqual([{ ...people[0], _id: crowd.ids[0], Since: '2026-01-31T23:30:00.000Z', Import: '1', Age: 31, New: 'x' }])
    expect(await crowd.rowsOf({ $match: { _id: crowd.ids[5] } }, { $addFields: { x: '$Age' } })).toEqual([
      { _id: crowd.ids[5], Import: '1' },
    ])
    const without = {
      $project: {
        Name: 0,
        Since: 0,
        Import: 0,
        events: 0,
        rowNumber: 0,
        dedupHash: 0,
        __v: 0,
        purlNumber: 0,
        basePurl: 0,
        _id: 0,
      },
    }
    expect(await crowd.rowsOf({ $match: { _id: crowd.ids[2] } }, without)).toEqual([{ City: 'Lyon', Age: 50 }])
  })

  test('a row for each event, oldest first, with contact and event fields', async () => {
    const rows = await crowd.rowsOf({ $match: { Name: 'Anna Berg' } }, { $unwind: '$events' })
    expect(rows).toEqual([
      expect.objectContaining({
        _id: crowd.ids[0],
        Name: 'Anna Berg',
        'events.event_code': 'open',
        'events.browser': 'Firefox',
      }) as unknown,
      expect.objectContaining({
        _id: crowd.ids[0],
        'events.event_code': 'click',
        'events.is_trigger': true,
        'events.event_date': '2026-02-03T12:00:00.000Z',
      }) as unknown,
    ])
    expect(
      await crowd.rowsOf({ $unwind: '$events' }, { $project: { _id: 0, events: 1 } }, { $limit: 1 }),
    ).toMatchObject([{ 'events.event_code': 'open' }])
    expect(
      await crowd.rowsOf({ $unwind: { path: '$events', preserveNullAndEmptyArrays: true } }, { $count: 'n' }),
    ).toEqual([{ n: 7 }])
  })

  test('rows that can be sorted, selected, skipped, limited and counted', async () => {
    const groups = json([{ $group: { _id: '$City', n: { $sum: 1 } } }])
    expect((await crowd.ask(`aggregate=${groups}&count=`)).body).toEqual({ count: 3 })
    expect((await crowd.ask(`aggregate=${json([{ $match: { City: 'Lyon' } }, { $count: 'x' }])}&count=`)).body).toEqual(
      {
        count: 2,
      },
    )
    expect((await crowd.ask(`aggregate=${json([{ $limit: 4 }])}&count=`)).body).toEqual({ count: 4 })
    expect((await crowd.ask(`aggregate=${groups}&sort=${json({ _id: -1 })}&select=_id&skip=1&limit=1`)).body).toEqual([
      { _id: 'Lyon' },
    ])
    expect((await crowd.ask(`aggregate=${json([{ $limit: 2 }])}&skip=1&limit=5&select=Name`)).body).toEqual([
      { _id: crowd.ids[1], Name: 'anna lind' },
    ])
  })

  test('only contacts of the account, and only with the right to read them', async () => {
    const stranger = await portal.member(await portal.account())
    const count = json([{ $group: { _id: null, n: { $sum: 1 } } }])
    expect((await stranger.get(`/contact-service/v1/offers?aggregate=${count}`)).body).toEqual([])
    const without = await portal.member(crowd.account, 'contact-service::imports::get')
    expect((await without.get(`/contact-service/v1/offers?aggregate=${count}`)).status).toBe(403)
  })
})

describe('saved filters', () => {
  async function save(name: string, stages: unknown, by = crowd.member): Promise<string> {
    const draft = { name, aggregateQuery: JSON.stringify(stages), showInSubaccounts: false }
    const answer = await by.post('/contact-service/v1/rdls', draft)
    expect(answer).toMatchObject({ status: 201 })
    return answer.json<{ _id: string }>()._id
  }

  test('are expanded to their stages in find and in aggregate', async () => {
    const inner = await save('People of Lyon', [{ $match: { City: 'Lyon' } }])
    expect((await crowd.ask(`find=${json([{ $predefined: inner }, { $match: { Age: 50 } }])}&count=`)).body).toEqual({
      count: 1,
    })
    expect(await crowd.rowsOf({ $predefined: inner }, { $count: 'n' })).toEqual([{ n: 2 }])
  })

  test('of another account, or unknown, are not found', async () => {
    const stranger = await portal.member(await portal.account())
    const theirs = await save('Theirs, not ours', [{ $match: {} }], stranger)
    for (const id of [theirs, randomUUID(), 'x']) {
      expect(await crowd.refusal({ $predefined: id })).toBe('The saved filter could not be found.')
    }
    expect(await crowd.refusal({ $predefined: 1 })).toBe('"$predefined" needs the id of a saved filter.')
  })
})
