import type { CellAnswer, Dashboard } from '@portico/contract/dashboards'
import type { Interaction } from '@portico/contract/dashboards/interaction'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { createDashboard, dashboardsPath, definition, inAccounts, refused } from '#test/resources/dashboards.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A viewer who only has the right to see dashboards guesses groups and values that the cells do not show.

let portal: TestPortal
let author: Member
let viewer: Member
let plain: Dashboard
let dated: Dashboard
let open: Dashboard

const options = { colors: ['#1971c2'] }
const by = (id: unknown, ...more: object[]) => ({
  standard: [{ $group: { _id: id, n: { $count: {} } } }, ...more],
})
const top = (count: number): object[] => [{ $sort: { n: -1 } }, { $limit: count }]
const chart = (filter: object, title = '') => ({ type: 'Pie', title, filter, options })
const count = { type: 'KPI', filter: { standard: [] }, options }

const charts = {
  count,
  whole: { ...count, portico: { ignoresClicks: true } },
  cities: chart(by({ City: '$City' })),
  top: chart(by({ City: '$City' }, ...top(2)), 'Top cities'),
  teams: chart(by({ Team: '$Team' }, ...top(1)), 'Best team'),
  pairs: chart(by({ City: '$City', Team: '$Team' })),
  months: chart(by({ Y: { $year: '$Joined' }, M: { $month: '$Joined' } })),
  list: { type: 'Dropdown', filter: by({ City: '$City' }) },
  short: { type: 'Dropdown', title: 'Few', filter: by({ Team: '$Team' }, ...top(1)) },
}
const picker = {
  type: 'DatePicker',
  datePickerType: 'month',
  defaultId: '6',
  maxRange: 31,
  portico: { dateField: 'Joined' },
}

// Oslo 4, Rome 3, no value 2, Bern 1 (hidden in the short lists); team a 6, b 4.
const people = [
  ...[1, 2, 3, 4].map((day) => ({ City: 'Oslo', Team: day === 4 ? 'b' : 'a', Joined: `2026-01-0${day}T12:00:00Z` })),
  ...[1, 2, 3].map((day) => ({ City: 'Rome', Team: 'a', Joined: `2026-02-0${day}T12:00:00Z` })),
  ...[1, 2].map((day) => ({ City: null, Team: 'b', Joined: `2026-03-0${day}T12:00:00Z` })),
  { City: 'Bern', Team: 'b', Joined: '2026-03-03T12:00:00Z' },
]

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  author = await portal.member(account)
  viewer = await portal.member(account, 'bi::dashboards::get')
  await addContacts(portal.parts.database, account, { City: 'string', Team: 'string', Joined: 'date' }, people)
  const made = (all: object): Promise<Dashboard> =>
    createDashboard(author, {
      definition: definition(Object.entries(all).map(([id, each]) => ({ id, cols: 12, chart: each as object }))),
      sharedWith: inAccounts(account),
    })
  plain = await made(charts)
  dated = await made({ ...charts, picker })
  open = await made({ ...charts, picker: { ...picker, portico: { ...picker.portico, allTime: true } } })
})
afterAll(() => portal.close())

type Chosen = Partial<Interaction>
const ask = (who: Member, cell: string, chosen: Chosen, { _id, version } = plain): Promise<Answer> =>
  who.post(`${dashboardsPath}/${_id}/cells/${cell}`, { version, ...chosen })

const click = (cell: string, ...keys: Interaction['clicks'][number]['keys']): Chosen => ({ clicks: [{ cell, keys }] })
const choose = (cell: string, include: string[], exclude: string[] = []): Chosen => ({
  choices: [{ cell, include, exclude }],
})
const value = (number: number) => ({ status: 200, body: { kpi: { value: number } } })
const notShown = (name: string) =>
  refused(422, 'cell_failed', { message: `"${name}" does not show all that is chosen in it. Choose again, or reset.` })

test.each<[string, Chosen, number]>([
  ['a group', click('cities', ['Bern']), 1],
  ['several groups', click('cities', ['Bern'], ['Oslo']), 5],
  ['no value', click('cities', [null]), 2],
  ['all that "Other" sums', click('pairs', ['Oslo', 'b'], [null, 'b'], ['Bern', 'b']), 4],
  ['a month', click('months', [2026, 3]), 3],
  ['a group of a short list', click('top', ['Rome']), 3],
  ['a value of a list', choose('list', ['Bern', 'Rome']), 4],
  ['all but a value', choose('list', [], ['Bern']), 9],
])('%s shown by a cell narrows the other cells', async (_what, chosen, expected) => {
  for (const who of [viewer, author]) expect(await ask(who, 'count', chosen)).toMatchObject(value(expected))
})

test.each<[string, string, Chosen]>([
  ['a group beyond the limit', 'Top cities', click('top', ['Bern'])],
  ['a group that does not exist', 'Top cities', click('top', ['Nowhere'])],
  ['no value, beyond the limit', 'Top cities', click('top', [null])],
  ['one beside a group that is shown', 'Top cities', click('top', ['Oslo'], ['Bern'])],
  ['one in another letter case', 'Pie', click('cities', ['oslo'])],
  ['a pair that no contact has', 'Pie', click('pairs', ['Rome', 'b'])],
  ['half of a pair', 'Pie', click('pairs', ['Rome'])],
  ['a month without contacts', 'Pie', click('months', [2026, 4])],
  ['a value that a list leaves out', 'Few', choose('short', ['b'])],
  ['one to exclude', 'Few', choose('short', [], ['b'])],
  ['one beside a value that is listed', 'Few', choose('short', ['a', 'b'])],
  ['a value that does not exist', 'Few', choose('short', ['z'])],
])('%s that is not shown is refused in every cell it would narrow', async (_what, name, chosen) => {
  for (const cell of ['count', 'cities', 'list', 'months']) {
    const isNarrowed = cell !== 'list' || chosen.choices !== undefined
    const isSource = chosen.clicks?.[0]?.cell === cell
    if (!isNarrowed || isSource) continue
    expect(await ask(viewer, cell, chosen)).toMatchObject(notShown(name))
    expect(await ask(author, cell, chosen)).toMatchObject({ status: 200 })
  }
})

test('cells not narrowed by a choice that is not shown still answer', async () => {
  expect(await ask(viewer, 'whole', click('top', ['Bern']))).toMatchObject(value(10))
  expect(await ask(viewer, 'list', click('top', ['Bern']))).toMatchObject({ status: 200, body: { total: 4 } })
  expect(await ask(viewer, 'top', click('top', ['Bern']))).toMatchObject({ status: 200, body: { total: 2 } })
})

test('a group that a cell shows only after other choices is accepted, in any order', async () => {
  // Of team b: Oslo 1, no value 2, Bern 1. The short list shows two of them.
  const chosen = choose('list', ['Bern'])
  expect(await ask(viewer, 'count', { ...chosen, ...click('teams', ['b']) })).toMatchObject(value(1))
  expect(
    await ask(viewer, 'count', {
      clicks: [
        { cell: 'top', keys: [['Bern']] },
        { cell: 'cities', keys: [['Bern']] },
      ],
    }),
  ).toMatchObject(value(1))
  expect(await ask(viewer, 'count', click('teams', ['b']))).toMatchObject(notShown('Best team'))
})

test('guesses in two cells do not confirm each other', async () => {
  const clicks = [
    { cell: 'top', keys: [['Bern']] },
    { cell: 'teams', keys: [['b']] },
  ]
  expect(await ask(viewer, 'count', { clicks })).toMatchObject(notShown('Top cities'))
  expect(await ask(author, 'count', { clicks })).toMatchObject(value(1))
})

test('a choice made for other days stays valid without data in the current days', async () => {
  const march = { ranges: [{ cell: 'picker', from: '2026-03-01', to: '2026-03-31' }] }
  const january = { ranges: [{ cell: 'picker', from: '2026-01-01', to: '2026-01-31' }] }
  for (const chosen of [click('cities', ['Bern']), choose('list', ['Bern']), click('pairs', ['Bern', 'b'])]) {
    expect(await ask(viewer, 'count', { ...chosen, ...march }, dated)).toMatchObject(value(1))
    expect(await ask(viewer, 'count', { ...chosen, ...january }, dated)).toMatchObject(value(0))
    expect(await ask(viewer, 'count', chosen, dated)).toMatchObject(value(0))
  }
  // From a short list, only the values that it shows on these days.
  expect(await ask(viewer, 'count', { ...click('top', ['Bern']), ...march }, dated)).toMatchObject(value(1))
  expect(await ask(viewer, 'count', { ...click('top', ['Bern']), ...january }, dated)).toMatchObject(
    notShown('Top cities'),
  )
  expect(await ask(viewer, 'count', { ...choose('list', ['Nowhere']), ...march }, dated)).toMatchObject(
    notShown('Dropdown'),
  )
})

test('all time is chosen only where it is offered, and shows no more groups than the cells list', async () => {
  const all = { ranges: [{ cell: 'picker', preset: 'ALL' as const }] }
  expect(await ask(viewer, 'count', all, dated)).toMatchObject(refused(400, 'invalid_input'))
  expect(await ask(viewer, 'count', all, open)).toMatchObject(value(10))
  expect(await ask(viewer, 'count', { ...all, ...click('cities', ['Bern']) }, open)).toMatchObject(value(1))
  expect(await ask(viewer, 'count', { ...all, ...click('top', ['Bern']) }, open)).toMatchObject(notShown('Top cities'))
  // A choice that was made at all time stays valid on days without it.
  expect(await ask(viewer, 'count', click('cities', ['Bern']), open)).toMatchObject(value(0))
})

test('a cell that fails for its author confirms no choice', async () => {
  const lost = { ...chart(by({ City: '$City' }, { $match: { Gone: 1 } }), 'Lost') }
  const dashboard = await createDashboard(author, {
    definition: definition([{ id: 'lost', cols: 12, chart: lost }], [{ id: 'count', cols: 12, chart: count }]),
    sharedWith: inAccounts(author.account),
  })
  expect(await ask(viewer, 'lost', {}, dashboard)).toMatchObject(refused(422, 'cell_failed'))
  expect(await ask(viewer, 'count', click('lost', ['Oslo']), dashboard)).toMatchObject(notShown('Lost'))
})

test('a group beyond the first 2,000 of a chart is refused', { timeout: 120_000 }, async () => {
  const account = await portal.account()
  const [owner, guest] = [await portal.member(account), await portal.member(account, 'bi::dashboards::get')]
  await addContacts(
    portal.parts.database,
    account,
    { Code: 'string' },
    Array.from({ length: 2001 }, (_value, at) => ({ Code: `code ${String(at).padStart(4, '0')}` })),
  )
  const codes = chart({ ...by({ Code: '$Code' }), sort: { Code: 1 } }, 'Codes')
  const dashboard = await createDashboard(owner, {
    definition: definition([{ id: 'codes', cols: 12, chart: codes }], [{ id: 'count', cols: 12, chart: count }]),
    sharedWith: inAccounts(account),
  })
  expect((await ask(guest, 'codes', {}, dashboard)).json<CellAnswer>().total).toBe(2001)
  expect(await ask(guest, 'count', click('codes', ['code 1999']), dashboard)).toMatchObject(value(1))
  expect(await ask(guest, 'count', click('codes', ['code 2000']), dashboard)).toMatchObject(notShown('Codes'))
})
