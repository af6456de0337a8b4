import { earthRadiusMiles } from '@portico/contract/filter'
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

describe('contacts are matched by', () => {
  const circle = (latitude: number, longitude: number, miles: number) => ({
    location: { $geoWithin: { $centerSphere: [[longitude, latitude], miles / earthRadiusMiles] } },
  })
  test.each<[string, unknown, number[]]>([
    ['a day of the account, not of UTC', { Since: '2026-01-31' }, [0, 1]],
    ['the day after', { Since: { $gt: '2026-01-31' } }, [2]],
    ['until a day', { Since: { $lte: '2026-01-31' } }, [0, 1, 4]],
    ['a moment', { Since: { $gte: '2026-02-01T05:00:00Z' } }, [2]],
    [
      'one event that meets all conditions',
      { events: { $elemMatch: { event_code: 'click', browser: 'Firefox' } } },
      [2],
    ],
    ['an event on a day of the account', { events: { $elemMatch: { event_date: '2026-01-31' } } }, [0]],
    [
      'several events',
      {
        $and: [{ events: { $elemMatch: { event_code: 'open' } } }, { events: { $elemMatch: { event_code: 'click' } } }],
      },
      [0],
    ],
    ['no such event', { events: { $not: { $elemMatch: { event_code: 'open' } } } }, [2, 3, 4, 5]],
    ['none of two', { $nor: [{ events: { $elemMatch: { is_trigger: true } } }, { Age: { $lt: 10 } }] }, [1, 2, 5]],
    ['either in one event', { events: { $elemMatch: { $or: [{ browser: 'Chrome' }, { is_trigger: true }] } } }, [0, 1]],
    [
      'the fields of an event, whatever the case of their names',
      {
        events: {
          $elemMatch: {
            App_Code: 'shop',
            pdid: 'list 1',
            ip: '::1',
            event_path: { $regex: '^/st' },
            event_element: null,
            os: null,
            event_code: { $ne: 'click' },
          },
        },
      },
      [0, 1],
    ],
    ['a number of its details', { events: { $elemMatch: { price: { $gte: 12.5, $lt: 13 } } } }, [0]],
    ['a text of its details', { events: { $elemMatch: { page: { $in: ['Home', 'x'] } } } }, [0]],
    ['true or false of its details', { events: { $elemMatch: { vip: true } } }, [0]],
    ['a detail that is something else', { events: { $elemMatch: { page: 7 } } }, []],
    ['a detail that is there', { events: { $elemMatch: { price: { $exists: true } } } }, [0]],
    ['twenty miles around', circle(47.37, 8.54, 20), [0, 1]],
    ['five miles around', circle(47.37, 8.54, 5), [0]],
    ['over the 180th meridian', circle(-16.5, -179.9, 20), [3]],
    ['over the pole', circle(89.9, -170, 20), [4]],
    ['all the world, but who has no place', circle(0, 0, 20_000), [0, 1, 2, 3, 4]],
    ['not here', { location: { $not: { $geoWithin: { $centerSphere: [[8.54, 47.37], 0.01] } } } }, [2, 3, 4, 5]],
    ['a word, whatever its case', { $text: { $search: 'ANNA' } }, [0, 1, 3]],
    ['several words of any field', { $text: { $search: 'anna, zürich' } }, [0, 1]],
    ['the beginning of a word', { $text: { $search: 'ber' } }, [0, 3]],
    ['no part within a word', { $text: { $search: 'erg' } }, []],
    ['words or anything else', { $or: [{ $text: { $search: 'bob' } }, { Age: 0 }] }, [2, 4]],
    ['text as it was typed', { Name: 'anna berg' }, []],
    ['text without regard to case, when asked for', { Name: { $regex: '^anna b', $options: 'i' } }, [0]],
  ])('%s', async (_what, match, expected) => {
    expect(await crowd.found(match)).toEqual(expected)
  })

  test('words, with the best match first unless a sort is given', async () => {
    const order = async (query: string) =>
      (await crowd.ask(query)).json<{ _id: string }[]>().map(({ _id }) => crowd.ids.indexOf(_id))
    const find = json([{ $match: { $text: { $search: 'berg' } } }])
    expect(await order(`find=${find}`)).toEqual([0, 3])
    expect(await order(`find=${find}&sort=${json({ Age: 1 })}`)).toEqual([3, 0])
    expect(
      await order(`aggregate=${json([{ $match: { $text: { $search: 'bergm' } } }, { $addFields: { x: 1 } }])}`),
    ).toEqual([3])
  })
})

test('values of those that meet a condition, and ratios, which have no value after a division by zero', async () => {
  const stages = [
    {
      $group: {
        _id: '$City',
        members: { $sum: { $cond: { if: { Member: true }, then: 1 } } },
        age: { $avg: { $cond: { if: { $and: [{ Member: { $ne: true } }, { Age: { $gt: 0 } }] }, then: '$Age' } } },
        names: { $size: { $addToSet: { $cond: { if: { Name: { $regex: 'a' } }, then: '$Name' } } } },
        rate: { $divide: [{ $sum: { $cond: { if: { Member: true }, then: 1 } } }, { $sum: 1 }] },
        byAge: { $divide: [{ $count: {} }, { $sum: { $cond: { if: { Member: true }, then: '$Age' } } }] },
      },
    },
    { $sort: { rate: -1 } },
  ]
  expect(await crowd.rowsOf(...stages)).toEqual([
    { _id: 'Lyon', members: 1, age: 50, names: 1, rate: 0.5, byAge: 0.8 },
    { _id: 'Zürich', members: 1, age: 40, names: 2, rate: 0.5, byAge: 2 / 30 },
    { _id: null, members: 0, age: null, names: 0, rate: 0, byAge: null },
  ])
})
