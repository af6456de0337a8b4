import type { NewExport } from '@portico/contract/exports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { createExport, downloadExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { runExport } from './export-run.service.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  await addContacts(
    portal.parts.database,
    member.account,
    { City: 'string', Score: 'number', Joined: 'date', Active: 'boolean' },
    [
      { City: 'Rome', Score: 1.5, Joined: '2026-01-31T09:00:00Z', Active: true },
      { City: 'Rome', Score: 1e21, Joined: '2026-02-01T09:00:00Z', Active: false },
      { City: '=1+1', Score: -3, Joined: '2025-02-01T09:00:00.25Z' },
      { City: 'O"Neil, x' },
      { Score: 4 },
    ],
    () => ({ importId: 7 }),
  )
})
afterAll(() => portal.close())

async function fileOf(
  exportFields: string[],
  stages: unknown[],
  more: Partial<NewExport> = {},
  by = member,
): Promise<{ text: string; records: (number | null)[] }> {
  const draft = exportDraft(exportFields, { aggregateQuery: JSON.stringify(stages), ...more })
  const { _id } = await createExport(by, draft)
  await runExport(portal.parts, by.account, _id, new AbortController().signal)
  const { status, processedRecords, totalRecords, exportFields: kept } = await readExport(by, _id)
  expect(status).toBe('completed')
  expect(kept).toEqual(exportFields.map((name) => name.replace(/^city$/, 'City')))
  const { text } = await downloadExport(portal, by, `${_id}.${more.delimiter ? 'txt' : 'csv'}`)
  return { text, records: [processedRecords, totalRecords] }
}

/** As the filter builder writes it. */
const byCity = [
  { $group: { _id: { City: '$City' }, 'sum of Score': { $sum: '$Score' } } },
  { $sort: { City: 1 } },
  { $limit: 50 },
]

describe('the file', () => {
  test('has a row for each group in order, with text and numbers formatted as in other files', async () => {
    const { text, records } = await fileOf(['City', 'sum of Score'], byCity)
    expect(text).toBe(`City,sum of Score\n'=1+1,-3\n"O""Neil, x",0\nRome,1000000000000000000000\n,4\n`)
    expect(records).toEqual([4, 4])
  })

  test('has computed numbers with 15 digits, as on screens, and integers with all digits', async () => {
    const stages = [
      ...byCity,
      { $addFields: { Third: { $divide: ['$sum of Score', 3] }, Tenths: { $add: [0.1, 0.2] } } },
      { $match: { City: { $in: ['Rome', '=1+1', null] } } },
    ]
    expect((await fileOf(['City', 'Third', 'Tenths'], stages)).text).toBe(
      "City,Third,Tenths\n'=1+1,-1,0.3\nRome,333333333333333300000,0.3\n,1.33333333333333,0.3\n",
    )
  })

  test('has the requested columns in their order', async () => {
    expect(await fileOf(['sum of Score', 'city'], byCity)).toMatchObject({ text: expect.stringContaining('4,\n') })
    expect(await fileOf(['City'], byCity, { delimiter: 'pipe' })).toMatchObject({
      text: `City\n=1+1\n"O""Neil, x"\nRome\n""\n`,
    })
  })

  test.each<[string, unknown[], string[], string]>([
    [
      'two levels, one of them a part of a date',
      [
        { $match: { Joined: { $exists: true } } },
        { $group: { _id: { 'Joined (year)': { $year: '$Joined' }, City: '$City' }, count: { $count: {} } } },
        { $sort: { 'Joined (year)': -1, City: -1 } },
        { $limit: 5 },
      ],
      ['Joined (year)', 'City', 'count'],
      `Joined (year),City,count\n2026,Rome,2\n2025,'=1+1,1\n`,
    ],
    [
      'dates and true or false as the API gives them',
      [{ $group: { _id: { Import: '$Import' }, last: { $max: '$Joined' }, any: { $max: '$Active' } } }],
      ['Import', 'last', 'any'],
      'Import,last,any\n7,2026-02-01T09:00:00.000Z,true\n',
    ],
    [
      'the first groups by their value',
      [{ $group: { _id: { City: '$City' }, count: { $count: {} } } }, { $sort: { count: -1, City: 1 } }, { $limit: 2 }],
      ['City', 'count'],
      `City,count\nRome,2\n'=1+1,1\n`,
    ],
    [
      'each value once',
      [{ $group: { _id: { City: '$City' } } }, { $match: { City: { $ne: '' } } }, { $sort: { City: -1 } }],
      ['City'],
      `City\nRome\n"O""Neil, x"\n'=1+1\n`,
    ],
    [
      'what later stages work out of the groups',
      [
        { $group: { _id: '$City', n: { $sum: 1 } } },
        { $addFields: { twice: { $multiply: ['$n', 2] } } },
        { $match: { n: 2 } },
        { $project: { _id: 1, twice: 1 } },
      ],
      ['_id', 'twice'],
      '_id,twice\nRome,4\n',
    ],
    ['one row of all', [{ $group: { _id: null, n: { $sum: 1 } } }], ['n'], 'n\n5\n'],
    ['nothing but the header where no contact matches', [{ $match: { City: 'Oslo' } }, ...byCity], ['City'], 'City\n'],
  ])('contains %s', async (_what, stages, columns, expected) => {
    expect((await fileOf(columns, stages)).text).toBe(expected)
  })

  test('of a saved filter that groups contains its groups', async () => {
    const saved = await member.post('/contact-service/v1/rdls', {
      name: 'Cities of those with a score',
      aggregateQuery: JSON.stringify([{ $match: { Score: { $gt: 1 } } }, ...byCity]),
    })
    const { _id } = saved.json<{ _id: string }>()
    expect((await fileOf(['City'], [{ $predefined: _id }])).text).toBe('City\nRome\n""\n')
  })

  test('contains nothing from another account', async () => {
    const stranger = await portal.member(await portal.account())
    await addContacts(portal.parts.database, stranger.account, { City: 'string', Score: 'number' }, [{ City: 'Bath' }])
    expect((await fileOf(['City', 'sum of Score'], byCity, {}, stranger)).text).toBe('City,sum of Score\nBath,0\n')
  })
})

describe('event fields named by applications', () => {
  const event = { event_code: 'buy', event_date: '2026-05-06T07:08:09Z' }

  beforeAll(async () => {
    const [rome, , odd] = (await member.get('/contact-service/v1/offers')).json<{ _id: string }[]>()
    const record = async (id: string | undefined, body: unknown[]) =>
      expect(await member.post(`/contact-service/v1/offers/${id}/events`, body)).toMatchObject({ status: 201 })
    await record(rome?._id, [
      { ...event, price: 12.5, 'Page "Title"': 'a, b', gift: true },
      { ...event, event_date: '2026-05-07T07:08:09Z', price: -1, 'Page "Title"': '=cmd()' },
    ])
    await record(odd?._id, [{ ...event, Price: 'dear' }])
  })

  test('are listed for callers who can see contacts, in their account only', async () => {
    const path = '/contact-service/v1/fields/events'
    const names = ['gift', 'Page "Title"', 'Price', 'price'].map((name) => ({ name }))
    const listed = (await member.get(path)).json<{ name: string }[]>()
    expect(listed).toHaveLength(4)
    expect(listed).toEqual(expect.arrayContaining(names))
    const stranger = await portal.member(await portal.account())
    expect((await stranger.get(path)).body).toEqual([])
    const importer = await portal.member(member.account, 'contact-service::imports::get')
    expect(await importer.get(path)).toMatchObject({ status: 403 })
  })

  test('can be columns of the file, distinguished by case', async () => {
    const columns = ['City', 'events.event_code', 'events.price', 'events.Page "Title"', 'events.gift', 'events.Price']
    expect((await fileOf(columns, [])).text).toBe(
      [
        'City,events.event_code,events.price,"events.Page ""Title""",events.gift,events.Price',
        'Rome,buy,12.5,"a, b",true,',
        `Rome,buy,-1,'=cmd(),,`,
        `'=1+1,buy,,,,dear`,
        '',
      ].join('\n'),
    )
  })

  test('can be filtered, sorted and projected', async () => {
    const stages = [
      { $match: { City: 'Rome' } },
      { $unwind: '$events' },
      { $match: { 'events.price': { $lt: 100 } } },
      { $sort: { 'events.event_date': -1 } },
      { $project: { events: 1 } },
    ]
    expect((await fileOf(['events.price'], stages)).text).toBe('events.price\n-1\n12.5\n')
  })

  test('can be grouping keys', async () => {
    const stages = [
      { $unwind: '$events' },
      { $group: { _id: { 'events.gift': '$events.gift' }, 'sum of events.price': { $sum: '$events.price' } } },
    ]
    expect((await fileOf(['events.gift', 'sum of events.price'], stages)).text).toBe(
      'events.gift,sum of events.price\ntrue,12.5\n,-1\n',
    )
  })

  test.each(['events.PRICE', 'events.nothing', 'events.constructor', 'events.'])(
    '%s is refused by name',
    async (name) => {
      const answer = await member.post(exportsPath, exportDraft(['City', name]))
      expect(answer).toMatchObject({
        status: 400,
        body: {
          error: { details: [{ field: 'exportFields', message: expect.stringContaining(`"${name}"`) as string }] },
        },
      })
    },
  )
})

test('decimals are summed, averaged and computed exactly', async () => {
  const other = await portal.member(await portal.account())
  const amounts = { A: [0.1, 0.2], B: [40.4, 40.4, 40.4], C: [1.1, 2.2, 4887.3], D: [1e-9, 2e-9, 12_345_678_901.5] }
  await addContacts(
    portal.parts.database,
    other.account,
    { Kind: 'string', Amount: 'number' },
    Object.entries(amounts).flatMap(([Kind, all]) => all.map((Amount) => ({ Kind, Amount }))),
  )
  const group = {
    _id: { Kind: '$Kind' },
    sum: { $sum: '$Amount' },
    avg: { $avg: '$Amount' },
    twice: { $sum: { $multiply: ['$Amount', 2] } },
  }
  const { text } = await fileOf(['Kind', 'sum', 'avg', 'twice'], [{ $group: group }, { $sort: { Kind: 1 } }], {}, other)
  const [, ...lines] = text.trim().split('\n')
  expect(lines.slice(0, 2)).toEqual(['A,0.3,0.15,0.6', 'B,121.2,40.4,242.4'])
  expect(lines.slice(2).map((line) => line.split(',')[1])).toEqual(['4890.6', '12345678901.5'])
  const aggregate = encodeURIComponent(JSON.stringify([{ $group: group }, { $sort: { Kind: 1 } }]))
  const rows = (await other.get(`/contact-service/v1/offers?aggregate=${aggregate}`)).json<{ sum: number }[]>()
  expect(rows.map(({ sum }) => sum)).toEqual([0.3, 121.2, 4890.6, 12_345_678_901.5])
})
