import type { CellAnswer, Dashboard } from '@portico/contract/dashboards'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import {
  createDashboard,
  dashboardsPath,
  definition,
  inAccounts,
  refused,
  removeIdentity,
} from '#test/resources/dashboards.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member
let ids: string[]

const fieldTypes = { City: 'string', Age: 'number', Joined: 'date' } as const
const people = [
  { City: 'Oslo', Age: 30, Joined: '2026-01-15T12:00:00Z' },
  { City: 'Oslo', Age: 40, Joined: '2026-02-15T12:00:00Z' },
  { City: 'Rome', Age: 50, Joined: '2026-02-20T12:00:00Z' },
  { City: null, Age: 10, Joined: null },
]

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  const account = await portal.account()
  member = await portal.member(account)
  // As if added by an import long after the first.
  ids = await addContacts(portal.parts.database, account, fieldTypes, people, () => ({ importId: 900 }))
})

const byCity = { standard: [{ $group: { _id: { City: '$City' }, count: { $count: {} } } }], sort: { City: 1 } }
const all = { standard: [] }
const colours = { colors: ['#1971c2'] }
const kpi = (filter: object, more: object = {}) => ({ type: 'KPI', filter, options: { ...colours, ...more } })

const cells = {
  cities: { type: 'Bar', filter: byCity, options: colours },
  months: {
    type: 'Line',
    filter: { standard: [{ $group: { _id: { M: { $month: '$Joined' } }, n: { $sum: 1 } } }] },
    options: colours,
  },
  list: { type: 'Dropdown', filter: byCity },
  count: kpi(all),
  ages: kpi({ standard: [{ $group: { _id: null, total: { $sum: '$Age' } } }] }),
  share: {
    ...kpi({ standard: [{ $match: { City: 'Oslo' } }] }, { template: 'ratio-with-master-date-range' }),
    filter2: all,
  },
  whole: { ...kpi(all), portico: { ignoresClicks: true } },
  people: { type: 'PaginaTable', filter: { standard: [], columns: ['City', 'Age'], sort: { Age: 1 } } },
  calculated: {
    type: 'CalculatedTable',
    filter: { standard: [{ $group: { _id: { City: '$City' }, total: { $sum: '$Age' } } }], sort: { City: 1 } },
    calculatedColumns: [{ name: 'Half', expression: '{{total}} / 2' }],
  },
  pivot: {
    type: 'Pivot',
    filter: { standard: [{ $group: { _id: { City: '$City', M: { $month: '$Joined' } }, n: { $sum: 1 } } }] },
  },
  gone: { type: 'Bar', filter: { standard: [{ $group: { _id: '$Height', n: { $sum: 1 } } }] }, options: colours },
}
type Name = keyof typeof cells

/** A dashboard of all these cells. */
const dashboardOf = (by: Member, more: object = {}) =>
  createDashboard(by, {
    definition: definition(Object.entries(cells).map(([id, chart]) => ({ id, cols: 12, chart }))),
    ...more,
  })

const ask = (by: Member, { _id, version }: Dashboard, cell: Name | 'other', question: object = {}): Promise<Answer> =>
  by.post(`${dashboardsPath}/${_id}/cells/${cell}`, { version, ...question })

async function answerOf(by: Member, dashboard: Dashboard, cell: Name, question: object = {}): Promise<CellAnswer> {
  const answer = await ask(by, dashboard, cell, question)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<CellAnswer>()
}

const rowsOf = async (...asked: Parameters<typeof answerOf>) => (await answerOf(...asked)).rows

describe('a cell', () => {
  test('returns its groups with the types of their keys', async () => {
    expect(await answerOf(member, await dashboardOf(member), 'cities')).toMatchObject({
      rows: [
        { City: 'Oslo', count: 2 },
        { City: 'Rome', count: 1 },
        { City: null, count: 1 },
      ],
      total: 3,
      fields: [{ name: 'City', type: 'string' }],
    })
  })

  test('of each kind returns its data', async () => {
    const dashboard = await dashboardOf(member)
    expect(await answerOf(member, dashboard, 'count')).toMatchObject({ kpi: { value: 4 } })
    expect(await answerOf(member, dashboard, 'ages')).toMatchObject({ kpi: { value: 130 } })
    expect(await answerOf(member, dashboard, 'share')).toMatchObject({ kpi: { value: 50 } })
    expect(await rowsOf(member, dashboard, 'list', { search: 'OS' })).toEqual([{ value: 'Oslo', count: 2 }])
    expect(await answerOf(member, dashboard, 'people', { limit: 2, skip: 1, sort: { Age: -1 } })).toMatchObject({
      rows: [
        { City: 'Oslo', Age: 40 },
        { City: 'Oslo', Age: 30 },
      ],
      total: 4,
    })
    expect(await answerOf(member, dashboard, 'calculated')).toMatchObject({ total: 3, totals: { total: 130 } })
    expect(await answerOf(member, dashboard, 'pivot')).toMatchObject({
      totals: { n: 4 },
      rowTotals: expect.arrayContaining([{ City: 'Oslo', n: 2 }]) as unknown,
      columnTotals: expect.arrayContaining([{ M: 2, n: 2 }]) as unknown,
    })
  })

  test('is narrowed by clicks and choices in other cells, unless it ignores clicks', async () => {
    const dashboard = await dashboardOf(member)
    const clicks = { clicks: [{ cell: 'cities', keys: [['Oslo']] }] }
    expect(await rowsOf(member, dashboard, 'months', clicks)).toEqual([
      { M: 1, n: 1 },
      { M: 2, n: 1 },
    ])
    expect(await rowsOf(member, dashboard, 'cities', clicks)).toHaveLength(3)
    expect(await answerOf(member, dashboard, 'whole', clicks)).toMatchObject({ kpi: { value: 4 } })
    expect(await rowsOf(member, dashboard, 'list', clicks)).toHaveLength(3)
    const february = { clicks: [{ cell: 'months', keys: [[2]] }] }
    expect(await answerOf(member, dashboard, 'count', february)).toMatchObject({ kpi: { value: 2 } })
    const noValue = { choices: [{ cell: 'list', exclude: [null] }] }
    expect(await answerOf(member, dashboard, 'count', noValue)).toMatchObject({ kpi: { value: 3 } })
  })

  test('names what this account lacks, and other cells still answer', async () => {
    const dashboard = await dashboardOf(member)
    const answer = await ask(member, dashboard, 'gone')
    expect(answer).toMatchObject(refused(422, 'cell_failed'))
    expect(JSON.stringify(answer.body)).toContain('Height')
    expect(await rowsOf(member, dashboard, 'cities')).toHaveLength(3)
  })

  test('refuses unknown cells, columns, keys and versions', async () => {
    const dashboard = await dashboardOf(member)
    expect(await ask(member, dashboard, 'other')).toMatchObject(refused(404, 'not_found'))
    expect(await ask(member, dashboard, 'people', { sort: { Joined: 1 } })).toMatchObject(refused(400, 'invalid_input'))
    expect(await ask(member, dashboard, 'cities', { filter: {} })).toMatchObject(refused(400, 'invalid_input'))
    expect(await ask(member, { ...dashboard, version: 7 }, 'cities')).toMatchObject(refused(409, 'newer_version'))
  })
})

describe('a date picker', () => {
  const dates = {
    type: 'DatePicker',
    datePickerType: 'month',
    defaultId: '6',
    maxRange: 31,
    portico: { dateField: 'Joined' },
  }
  const withPicker = () =>
    createDashboard(member, {
      definition: definition([
        { id: 'dates', cols: 12, chart: dates },
        { id: 'count', cols: 12, chart: kpi(all, { template: 'master-date-range' }) },
      ]),
    })

  test('narrows the other cells, which compare with the previous period', async () => {
    const dashboard = await withPicker()
    const ranges = [{ cell: 'dates', from: '2026-02-10', to: '2026-02-28' }]
    expect(await answerOf(member, dashboard, 'count', { ranges })).toMatchObject({ kpi: { value: 2, previous: 0 } })
    expect(await answerOf(member, dashboard, 'count')).toMatchObject({ kpi: { value: 0 } })
  })

  test('offers all time where its author says so, and each cell says the days that it is narrowed to', async () => {
    const some = { ...dates, defaultId: 'ALL', portico: { ...dates.portico, allTime: true, narrows: ['count'] } }
    const dashboard = await createDashboard(member, {
      definition: definition([
        { id: 'dates', cols: 12, chart: some },
        { id: 'count', cols: 12, chart: kpi(all) },
        { id: 'whole', cols: 12, chart: kpi(all) },
      ]),
    })
    const february = { ranges: [{ cell: 'dates', from: '2026-02-10', to: '2026-02-28' }] }
    const total = await answerOf(member, dashboard, 'count')
    expect([total.kpi?.value, total.dates]).toEqual([4, undefined])
    expect(await answerOf(member, dashboard, 'count', february)).toMatchObject({
      kpi: { value: 2 },
      dates: [{ field: 'Joined', from: '2026-02-10', to: '2026-02-28' }],
    })
    const whole = await answerOf(member, dashboard, 'whole', february)
    expect([whole.kpi?.value, whole.dates]).toEqual([4, undefined])
    const again = { ranges: [{ cell: 'dates', preset: 'ALL' }] }
    expect(await answerOf(member, dashboard, 'count', again)).toMatchObject({ kpi: { value: 4 } })
  })

  test.each([
    [{ preset: 'ALL' }, 'This date picker does not offer that preset.'],
    [{ from: '2026-01-01', to: '2026-03-31' }, 'Choose at most 31 days.'],
    [{ from: '2026-02-10', to: '2026-02-01' }, 'The first day must not be after the last.'],
    [{ from: '2011-02-10', to: '2011-02-11' }, 'Choose days from 2012-02-01'],
    [{ preset: 'T' }, 'This date picker does not offer that preset.'],
  ])('refuses %j', async (range, message) => {
    const answer = await ask(member, await withPicker(), 'count', { ranges: [{ cell: 'dates', ...range }] })
    expect(answer).toMatchObject(refused(400, 'invalid_input'))
    expect(JSON.stringify(answer.body)).toContain(message)
  })
})

describe('a cached answer', () => {
  test('is valid until contacts are imported, and is refreshed on request', async () => {
    const dashboard = await dashboardOf(member)
    const first = await answerOf(member, dashboard, 'count')
    expect(await answerOf(member, dashboard, 'count')).toEqual(first)
    const again = await answerOf(member, dashboard, 'count', { refresh: true })
    expect(again.asOf > first.asOf).toBe(true)
    await importFile(portal, member, 'City\nBern\nBasel\n')
    expect(await answerOf(member, dashboard, 'count')).toMatchObject({ kpi: { value: 6 } })
  })

  test('is valid until contacts are deleted', async () => {
    const dashboard = await dashboardOf(member)
    expect(await answerOf(member, dashboard, 'count')).toMatchObject({ kpi: { value: 4 } })
    const filter = [{ $match: { City: 'Oslo' } }]
    await member.delete('/contact-service/v1/offers', { filter, deletedRecords: 2 })
    expect(await answerOf(member, dashboard, 'count')).toMatchObject({ kpi: { value: 2 } })
  })

  test('is never served to another account or interaction', async () => {
    const other = await portal.member(await portal.account())
    await addContacts(portal.parts.database, other.account, fieldTypes, people.slice(0, 1))
    const admin = await portal.powerAdmin()
    const shared = await createDashboard(admin, {
      sharedWith: inAccounts(member.account, other.account),
      definition: definition(Object.entries(cells).map(([id, chart]) => ({ id, cols: 12, chart }))),
    })
    const clicks = { clicks: [{ cell: 'cities', keys: [['Oslo']] }] }
    const wanted = [
      { by: member, question: {}, value: 4 },
      { by: other, question: {}, value: 1 },
      { by: member, question: clicks, value: 2 },
      { by: other, question: { clicks: [{ cell: 'cities', keys: [['Rome']] }] }, value: 0 },
    ]
    // The order is mixed, and several questions are asked at once.
    const answers = Array.from({ length: 200 }, async (_, at) => {
      const one = wanted[(at * 7) % wanted.length]
      if (!one) throw new Error('nothing to ask')
      return { value: (await answerOf(one.by, shared, 'count', one.question)).kpi?.value, wanted: one.value }
    })
    for (const { value, wanted: right } of await Promise.all(answers)) expect(value).toBe(right)
  })

  test('can be stale for single events until it is refreshed', async () => {
    const events = { ...kpi({ standard: [{ $unwind: '$events' }] }) }
    const dashboard = await createDashboard(member, {
      definition: definition([{ id: 'count', cols: 12, chart: events }]),
    })
    expect(await answerOf(member, dashboard, 'count')).toMatchObject({ kpi: { value: 0 } })
    const event = { event_code: 'buy', event_date: '2026-05-06T07:08:09Z' }
    expect(await member.post(`/contact-service/v1/offers/${ids[0]}/events`, event)).toMatchObject({ status: 201 })
    expect(await answerOf(member, dashboard, 'count', { refresh: true })).toMatchObject({ kpi: { value: 1 } })
  })
})

describe('a viewer who cannot read contacts', () => {
  const viewerIn = (account: number) => portal.member(account, 'bi::dashboards::get')

  test('sees the stored cells of an author who can, without ids of contacts', async () => {
    const dashboard = await dashboardOf(member, { sharedWith: inAccounts(member.account) })
    const viewer = await viewerIn(member.account)
    expect(await rowsOf(viewer, dashboard, 'cities')).toHaveLength(3)
    const rows = await rowsOf(viewer, dashboard, 'people')
    expect(rows.map((row) => Object.keys(row).toSorted())).toEqual(
      rows.map((row) =>
        Object.keys(row)
          .filter((name) => name !== '_id')
          .toSorted(),
      ),
    )
    expect(await rowsOf(member, dashboard, 'people')).toMatchObject([{ _id: ids[3] }, {}, {}, {}])
  })

  test('sees no cells after the author has left, and no previews', async () => {
    const author = await portal.member(member.account)
    const dashboard = await dashboardOf(author, { sharedWith: inAccounts(member.account) })
    const viewer = await viewerIn(member.account)
    expect(await ask(viewer, dashboard, 'cities')).toMatchObject({ status: 200 })
    await removeIdentity(portal, author)
    const answer = await ask(viewer, dashboard, 'cities')
    expect(answer).toMatchObject(
      refused(422, 'cell_failed', { message: 'The author may not read contacts of this account.' }),
    )
    // Those who may read contacts themselves can still see it.
    expect(await ask(member, dashboard, 'cities')).toMatchObject({ status: 200 })
    const preview = { chart: cells.cities }
    expect(await viewer.post(`${dashboardsPath}/previews`, preview)).toMatchObject(refused(403, 'not_allowed'))
    expect(await member.post(`${dashboardsPath}/previews`, preview)).toMatchObject({ status: 200, body: { total: 3 } })
  })

  test('sees no cells of a dashboard that is not shared with the account', async () => {
    const dashboard = await dashboardOf(member)
    const viewer = await viewerIn(member.account)
    expect(await ask(viewer, dashboard, 'cities')).toMatchObject(refused(404, 'not_found'))
    const stranger = await portal.member(await portal.account())
    expect(await ask(stranger, dashboard, 'cities')).toMatchObject(refused(404, 'not_found'))
  })
})
