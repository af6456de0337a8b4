import type { CellAnswer, Dashboard } from '@portico/contract/dashboards'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordEvents } from '#contacts'
import { addContacts } from '#test/resources/contacts.ts'
import { newEvent } from '#test/resources/events.ts'
import {
  createDashboard,
  dashboardsPath,
  definition,
  inAccounts,
  onlyFor,
  refused,
} from '#test/resources/dashboards.ts'
import { hostileTexts } from '#test/oracles/hostile-texts.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { variants } from '#test/oracles/question-variants.ts'
import { rounds } from '#test/processes/rounds.ts'

// A viewer who only has the right to see dashboards tries every part of a request to get more than the cells show.

let portal: TestPortal
let author: Member
let viewer: Member
let ids: string[]
let shared: Dashboard
let secret: Dashboard

const fieldTypes = { City: 'string', Age: 'number', Joined: 'date', Email: 'string', Secret: 'string' } as const
const people = Array.from({ length: 30 }, (_value, at) => ({
  City: ['Oslo', 'Rome', 'Bern', null][at % 4] ?? null,
  Age: 20 + (at % 5),
  Joined: `2026-0${1 + (at % 3)}-15T12:00:00Z`,
  Email: `hidden-${at}@example.com`,
  Secret: `hidden-value-${at}`,
}))

const byCity = { standard: [{ $group: { _id: { City: '$City' }, n: { $count: {} } } }], sort: { City: 1 } }
const options = { colors: ['#1971c2'] }
const cells = {
  cities: { type: 'Bar', filter: byCity, options },
  months: {
    type: 'Line',
    filter: { standard: [{ $group: { _id: { Y: { $year: '$Joined' }, M: { $month: '$Joined' } }, n: { $sum: 1 } } }] },
    options,
  },
  codes: {
    type: 'Pie',
    filter: { standard: [{ $unwind: '$events' }, { $group: { _id: { Code: '$events.event_code' }, n: { $sum: 1 } } }] },
    options,
  },
  list: { type: 'Dropdown', filter: byCity },
  // The author shows one of the addresses.
  few: {
    type: 'Dropdown',
    filter: {
      standard: [
        { $group: { _id: { Email: '$Email' }, n: { $count: {} } } },
        { $match: { Email: 'hidden-3@example.com' } },
        { $project: { Email: 1 } },
      ],
    },
  },
  pivot: {
    type: 'Pivot',
    filter: {
      standard: [
        { $group: { _id: { City: '$City', Secret: '$Secret' }, n: { $sum: 1 } } },
        { $match: { n: { $gt: 1 } } },
      ],
    },
  },
  count: { type: 'KPI', filter: { standard: [] }, options },
  people: {
    type: 'PaginaTable',
    filter: { standard: [{ $match: { City: 'Oslo' } }], columns: ['City', 'Age'], sort: { Age: 1 } },
  },
  rows: { type: 'Table', filter: { standard: [{ $match: { City: 'Rome' } }], columns: ['City'] } },
  dates: {
    type: 'DatePicker',
    datePickerType: 'month',
    defaultId: '29',
    maxRange: 31,
    portico: { dateField: 'Joined' },
  },
  tile: {
    type: 'KPI',
    filter: { standard: [] },
    options: { ...options, template: 'internal-date-range' },
    maxRange: 10,
  },
  text: { type: 'Text', portico: { text: 'Hello' } },
}
type Name = keyof typeof cells
/** One cell for each way of reading. */
const names: Name[] = ['codes', 'list', 'pivot', 'people', 'tile']

/** The columns that each cell shows. */
const columns: Partial<Record<Name, string[]>> = {
  cities: ['City', 'n'],
  months: ['Y', 'M', 'n'],
  codes: ['Code', 'n'],
  list: ['value', 'count'],
  few: ['value', 'count'],
  pivot: ['City', 'Secret', 'n'],
  people: ['City', 'Age'],
  rows: ['City'],
}
/** A month with data: the picker allows no longer range. */
const ranges = [{ cell: 'dates', from: '2026-01-01', to: '2026-01-31' }]

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  author = await portal.member(account)
  viewer = await portal.member(account, 'bi::dashboards::get')
  ids = await addContacts(portal.parts.database, account, fieldTypes, people)
  const date = new Date('2026-01-20T12:00:00Z')
  const events = ids.map((contactId) => newEvent(contactId, { code: 'open', date }))
  await recordEvents(portal.parts.database.db, account, events)
  const layout = definition(Object.entries(cells).map(([id, chart]) => ({ id, cols: 12, chart })))
  shared = await createDashboard(author, { definition: layout, sharedWith: inAccounts(account) })
  const all = { type: 'PaginaTable', filter: { standard: [], columns: ['Secret'] } }
  secret = await createDashboard(author, {
    definition: definition([{ id: 'all', cols: 12, chart: all }]),
    sharedWith: onlyFor(author),
  })
})
afterAll(() => portal.close())

const ask = (cell: string, question: object, dashboard = shared): Promise<Answer> =>
  viewer.post(`${dashboardsPath}/${dashboard._id}/cells/${encodeURIComponent(cell)}`, {
    version: dashboard.version,
    ...question,
  })

/** All values that an answer of a cell may contain: those of the stored cell, with and without dates, in pages. */
async function known(cell: Name): Promise<Set<string>> {
  const list = await Promise.all(
    [{}, { ranges }, { limit: 1000 }, { ranges, limit: 1000 }].map((question) => ask(cell, question)),
  )
  return new Set(
    list.flatMap((answer) => answer.json<CellAnswer>().rows.map((row) => JSON.stringify(keysOf(cell, row)))),
  )
}

/** The values of a row that are not counts of contacts. */
const keysOf = (cell: Name, row: Record<string, unknown>): unknown =>
  Object.entries(row).filter(([name]) => name !== 'n' && name !== 'count' && columns[cell]?.includes(name))

/** Why an answer is neither a clear refusal nor part of what the cell shows; null if it is one of them. */
function problemOf(cell: Name, answer: Answer, allowed: Set<string>): string | null {
  const text = JSON.stringify(answer.body)
  if (ids.some((id) => text.includes(id))) return `an id of a contact: ${text}`
  if (answer.status === 400 || answer.status === 422) {
    const { message } = answer.json<{ error: { message: string } }>().error
    return message.length > 10 ? null : `no message: ${text}`
  }
  if (answer.status !== 200) return `${answer.status} ${text}`
  const hidden = text.match(/hidden-[\w@.-]+/g)?.find((found) => cell !== 'few' || found !== 'hidden-3@example.com')
  if (hidden) return hidden
  const { rows, totals = {}, rowTotals = [], columnTotals = [] } = answer.json<CellAnswer>()
  const names = [...rows, totals, ...rowTotals, ...columnTotals].flatMap((row) => Object.keys(row))
  const column = names.find((name) => !columns[cell]?.includes(name))
  if (column !== undefined) return `a column: ${column}`
  const row = rows.find((each) => !allowed.has(JSON.stringify(keysOf(cell, each))))
  return row ? `a row: ${JSON.stringify(row)}` : null
}

/** A question that uses all of its parts. */
const whole = {
  clicks: [
    { cell: 'cities', keys: [['Oslo'], [null]] },
    { cell: 'months', keys: [[2026, 1]] },
    { cell: 'codes', keys: [['open']] },
  ],
  choices: [{ cell: 'list', include: ['Oslo', 'Rome'], exclude: ['Bern'] }],
  ranges: [...ranges, { cell: 'tile', preset: '6' }],
  search: '',
  sort: {},
  skip: 0,
  limit: 50,
  refresh: false,
}

describe('a viewer who can only see dashboards', () => {
  test.each(names)(
    'gets no more of %s with any other value in any part of a request',
    { timeout: 240_000 },
    async (cell) => {
      const allowed = await known(cell)
      let refusals = 0
      // In the regular suite the values are divided among the cells: each replaces each part once.
      const drawn = variants(whole).filter((_, at) => (at + names.indexOf(cell)) % rounds(3, 1) === 0)
      for (const [place, question] of drawn) {
        if (typeof question !== 'object' || question === null || Array.isArray(question)) continue
        const answer = await ask(cell, question)
        expect({ cell, place, problem: problemOf(cell, answer, allowed) }).toEqual({ cell, place, problem: null })
        if (answer.status === 400) refusals++
      }
      expect(refusals).toBeGreaterThan(rounds(60, 200))
    },
  )

  test('gets no more with texts that look like code', async () => {
    const [ofList, ofPeople] = [await known('list'), await known('people')]
    for (const text of hostileTexts) {
      const chosen = {
        clicks: [{ cell: 'cities', keys: [[text]] }],
        choices: [{ cell: 'list', include: [text], exclude: [`${text} `] }],
      }
      const problems = [
        problemOf('list', await ask('list', { search: text.slice(0, 200) }), ofList),
        problemOf('people', await ask('people', chosen), ofPeople),
        problemOf('people', await ask('people', { sort: { [text]: 1 } }), ofPeople),
      ]
      expect({ text, problems }).toEqual({ text, problems: [null, null, null] })
    }
  })

  test.each([
    [{ sort: { Secret: 1 } }, 'This cell shows no column "Secret".'],
    [{ sort: { Email: -1 } }, 'This cell shows no column "Email".'],
    [{ sort: { city: 1 } }, 'This cell shows no column "city".'],
    [{ sort: { _id: 1 } }, 'This cell shows no column "_id".'],
    [{ limit: 5001 }, 'limit'],
    [{ skip: -1 }, 'skip'],
    [{ ranges: [{ cell: 'dates', from: '2026-01-01', to: '2026-03-31' }] }, 'Choose at most 31 days.'],
    [{ ranges: [{ cell: 'dates', from: '2026-03-01', to: '9999-12-31' }] }, 'Choose days from 2012-02-01'],
    [{ ranges: [{ cell: 'tile', from: '2026-01-01', to: '2026-01-11' }] }, 'Choose at most 10 days.'],
    [{ ranges: [{ cell: 'dates', preset: 'ALL' }] }, 'This date picker does not offer that preset.'],
    [{ ranges: [{ cell: 'dates', preset: 'EVER' }] }, 'Value is invalid!'],
    [{ ranges: [{ cell: 'dates', preset: '6', from: '2026-01-01', to: '2026-01-31' }] }, ''],
    [{ clicks: [{ cell: 'cities', keys: [['a', 'b', 'c']] }] }, ''],
    [{ clicks: [{ cell: 'cities', keys: Array.from({ length: 2001 }, () => ['a']) }] }, ''],
    [{ choices: [{ cell: 'list', include: Array.from({ length: 1001 }, () => 'a') }] }, ''],
    [{ version: '1' }, 'version'],
    [{ version: null }, 'version'],
  ])('cannot ask for more than the cell shows (%#)', async (question, message) => {
    const answer = await ask('people', question)
    expect(answer).toMatchObject(refused(400, 'invalid_input'))
    expect(answer.json<{ error: { message: string } }>().error.message).toContain(message)
  })

  test('gets cells of the current version only', async () => {
    const dashboard = await createDashboard(author, {
      definition: shared.definition,
      sharedWith: inAccounts(author.account),
    })
    const draft = {
      name: dashboard.name,
      tags: dashboard.tags,
      sharedWith: inAccounts(author.account),
      definition: definition([{ id: 'cities', cols: 12, chart: cells.cities }]),
    }
    expect(await author.put(`${dashboardsPath}/${dashboard._id}`, draft)).toMatchObject({ status: 200 })
    for (const version of [1, 3, 2 ** 31 - 1]) {
      expect(await ask('people', { version }, dashboard)).toMatchObject(refused(409, 'newer_version'))
    }
    expect(await ask('people', { version: 2 }, dashboard)).toMatchObject(refused(404, 'not_found'))
    expect(await ask('cities', { version: 2 }, dashboard)).toMatchObject({ status: 200 })
    const without = await viewer.post(`${dashboardsPath}/${dashboard._id}/cells/cities`, {})
    expect(without).toMatchObject(refused(400, 'invalid_input'))
    for (const path of ['versions', 'versions/1']) {
      expect(await viewer.get(`${dashboardsPath}/${dashboard._id}/${path}`)).toMatchObject(refused(403, 'not_author'))
    }
  })

  test('gets no cell that is missing from the dashboard or belongs to another one', async () => {
    for (const cell of [
      'all',
      '__proto__',
      'constructor',
      'toString',
      'preview',
      '0',
      'people ',
      'PEOPLE',
      '../cells/people',
    ]) {
      expect({ cell, ...(await ask(cell, {})) }).toMatchObject({ cell, ...refused(404, 'not_found') })
    }
    expect(await ask('all', {}, secret)).toMatchObject(refused(404, 'not_found'))
    expect(await ask('people', { version: 1 }, { ...shared, _id: 'x' })).toMatchObject(refused(404, 'not_found'))
  })

  test('gets no answer through other calls', async () => {
    const id = ids[0]
    const offers = '/contact-service/v1/offers'
    for (const path of [offers, `${offers}/${id}`, `${offers}?aggregate=[]`, '/contact-service/v1/rdls']) {
      expect({ path, ...(await viewer.get(path)) }).toMatchObject({ path, ...refused(403, 'not_allowed') })
    }
    const preview = { chart: { type: 'PaginaTable', filter: { standard: [], columns: ['Secret'] } } }
    expect(await viewer.post(`${dashboardsPath}/previews`, preview)).toMatchObject(refused(403, 'not_allowed'))
    const draft = { name: 'Mine', tags: ['event'], sharedWith: onlyFor(viewer), definition: secret.definition }
    expect(await viewer.post(dashboardsPath, draft)).toMatchObject(refused(403, 'not_allowed'))
    for (const dashboard of [shared, secret]) {
      expect((await viewer.put(`${dashboardsPath}/${dashboard._id}`, draft)).status).toBe(403)
      expect((await viewer.post(`${dashboardsPath}/${dashboard._id}/author`)).status).toBe(403)
      expect((await viewer.post(`${dashboardsPath}/${dashboard._id}/versions/1/restore`)).status).toBe(403)
    }
  })

  test('sees only the values that the author shows in a list', async () => {
    expect((await ask('few', { search: 'hidden', ranges })).body).toMatchObject({
      rows: [{ value: 'hidden-3@example.com', count: 1 }],
      total: 1,
    })
    const pivot = (await ask('pivot', { ranges })).json<CellAnswer>()
    expect(pivot).toMatchObject({ rows: [], rowTotals: [], columnTotals: [] })
  })
})
