import type { CellAnswer, Dashboard } from '@portico/contract/dashboards'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordEvents } from '#contacts'
import { addContacts, type FieldValues } from '#test/resources/contacts.ts'
import { createDashboard, dashboardsPath, definition } from '#test/resources/dashboards.ts'
import { newEvent } from '#test/resources/events.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// "Other" of a chart sums hundreds of groups by two keys. A click on it narrows the other cells to exactly these
// groups.

let portal: TestPortal
let member: Member
let dashboard: Dashboard

type Event = { code: string; path: string }
const pad = (number: number): string => String(number).padStart(2, '0')
/** Differs between people of the same day. */
const hourOf = (at: number): number => Math.floor(at / 28) % 24
const people = Array.from({ length: 1200 }, (_value, at): { values: FieldValues; event: Event } => ({
  values: {
    City: at % 100 === 99 ? null : `city ${at % 700}`,
    Street: at % 90 === 89 ? null : `street ${at}`,
    Joined: `${1950 + (at % 70)}-${pad(1 + (at % 12))}-${pad(1 + (at % 28))}T${pad(hourOf(at))}:30:00.000Z`,
    Left: `${1960 + (at % 60)}-${pad(1 + ((at * 7) % 12))}-15T12:00:00.000Z`,
  },
  event: { code: `code ${at % 3}`, path: `/page/${at % 600}` },
}))

const options = { colors: ['#1971c2'] }
const pie = (id: object, isOfEvents = false) => ({
  type: 'Pie',
  filter: { standard: [...(isOfEvents ? [{ $unwind: '$events' }] : []), { $group: { _id: id, n: { $sum: 1 } } }] },
  options,
})
const cut = (unit: string, field: string) => ({ $dateTrunc: { date: `$${field}`, unit } })
const pies = {
  'two fields': pie({ A: '$City', B: '$Street' }),
  'a field and a part of a date': pie({ A: '$City', B: { $month: '$Joined' } }),
  'a part of a date and a field': pie({ A: { $month: '$Joined' }, B: '$Street' }),
  'a year and a month': pie({ A: { $year: '$Joined' }, B: { $month: '$Joined' } }),
  'a day and an hour': pie({ A: { $dayOfMonth: '$Joined' }, B: { $hour: '$Joined' } }),
  'years of two dates': pie({ A: { $year: '$Joined' }, B: { $year: '$Left' } }),
  'a field and one of events': pie({ A: '$City', B: '$events.event_code' }, true),
  'a field of events and a part of a date': pie({ A: '$events.event_path', B: { $month: '$Joined' } }, true),
  'two fields of events': pie({ A: '$events.event_path', B: '$events.event_code' }, true),
  'many values of a field and of events': pie({ A: '$City', B: '$events.event_path' }, true),
  'a field and a day across years': pie({ A: '$City', B: cut('day', 'Joined') }),
  'a day across years and a field of events': pie({ A: cut('day', 'Joined'), B: '$events.event_path' }, true),
  'a week and a quarter of two dates': pie({ A: cut('week', 'Joined'), B: cut('quarter', 'Left') }),
  'a date and an event': pie({ A: { $dayOfMonth: '$Joined' }, B: { $hour: '$events.event_date' } }, true),
}
type Name = keyof typeof pies
const names = Object.keys(pies) as Name[]

const ofOneEvent = { event_date: { $gte: '2026-01-20', $lte: '2026-01-20' }, event_code: { $in: ['code 0', 'code 1'] } }
const targets = {
  count: { type: 'KPI', filter: { standard: [] }, options },
  events: { type: 'KPI', filter: { standard: [{ $unwind: '$events' }] }, options },
  ofOneEvent: { type: 'KPI', filter: { standard: [{ $match: { events: { $elemMatch: ofOneEvent } } }] }, options },
}

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  member = await portal.member(account)
  const ids = await addContacts(
    portal.parts.database,
    account,
    { City: 'string', Street: 'string', Joined: 'date', Left: 'date' },
    people.map(({ values }) => values),
  )
  const events = people.map(({ event }, at) =>
    newEvent(ids[at] ?? '', { ...event, date: new Date(`2026-01-20T${pad(hourOf(at))}:00:00Z`) }),
  )
  await recordEvents(portal.parts.database.db, account, events)
  const cells = Object.entries({ ...pies, ...targets }).map(([id, chart], at) => ({
    id: idOf(id, at),
    cols: 12,
    chart,
  }))
  dashboard = await createDashboard(member, { definition: definition(cells) })
}, 180_000)
afterAll(() => portal.close())

const idOf = (name: string, at: number): string => (Object.hasOwn(targets, name) ? name : `p${at}`)

async function ask(cell: string, question: object = {}): Promise<CellAnswer> {
  const body = { version: dashboard.version, ...question }
  const answer = await member.post(`${dashboardsPath}/${dashboard._id}/cells/${cell}`, body)
  expect(answer.status === 200 ? '' : answer.body).toBe('')
  return answer.json<CellAnswer>()
}

test.each(names)('Other of groups by %s narrows to the groups it sums', async (name) => {
  const cell = idOf(name, names.indexOf(name))
  const { rows } = await ask(cell)
  // The first groups have slices of their own.
  const other = rows.slice(5)
  const keys = other.map(({ A, B }) => [A, B] as GroupValue[])
  expect(keys.length).toBeGreaterThan(200)
  const sum = other.reduce((total, { n }) => total + Number(n), 0)
  const clicks = [{ cell, keys }]
  // Each contact has one event.
  expect((await ask('count', { clicks })).kpi).toEqual({ value: sum })
  expect((await ask('events', { clicks })).kpi).toEqual({ value: sum })
})

test('Other of values of a field and of events applies to the same event that a cell counts', async () => {
  const name = 'many values of a field and of events'
  const cell = idOf(name, names.indexOf(name))
  const other = (await ask(cell)).rows.slice(5)
  const isOther = new Set(other.map(({ A, B }) => JSON.stringify([A, B])))
  const expected = people.filter(
    ({ values, event }) => event.code !== 'code 2' && isOther.has(JSON.stringify([values['City'], event.path])),
  )
  expect(expected.length).toBeGreaterThan(700)
  const clicks = [{ cell, keys: other.map(({ A, B }) => [A, B] as GroupValue[]) }]
  expect((await ask('ofOneEvent', { clicks })).kpi).toEqual({ value: expected.length })
  // A second chart of such groups: a contact has to be in a group of each chart.
  const code = 'a field and one of events'
  const both = [
    ...clicks,
    {
      cell: idOf(code, names.indexOf(code)),
      keys: [
        ['city 1', 'code 1'],
        ['city 2', 'code 2'],
      ],
    },
  ]
  const inBoth = people.filter(
    ({ values, event }) =>
      isOther.has(JSON.stringify([values['City'], event.path])) &&
      both[1]?.keys.some(([city, one]) => city === values['City'] && one === event.code),
  )
  expect(inBoth.length).toBeGreaterThan(0)
  expect((await ask('count', { clicks: both })).kpi).toEqual({ value: inBoth.length })
})

test('Other of several charts narrows to the groups that all of them sum', async () => {
  const clicked = (name: Name, rows: CellAnswer['rows']) => ({
    cell: idOf(name, names.indexOf(name)),
    keys: rows.map(({ A, B }) => [A, B] as GroupValue[]),
  })
  const [one, two] = ['two fields', 'a year and a month'] as const
  const clicks = [
    clicked(one, (await ask(idOf(one, names.indexOf(one)))).rows),
    clicked(two, (await ask(idOf(two, names.indexOf(two)))).rows),
  ]
  expect((await ask('count', { clicks })).kpi).toEqual({ value: people.length })
})
