import type { CellAnswer } from '@portico/contract/dashboards'
import { dateUnits } from '@portico/contract/filter-stages'
import { contactsBehind } from '@portico/domain/pipeline/behind'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordEvents } from '#contacts'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { createDashboard, dashboardsPath, definition } from '#test/resources/dashboards.ts'
import { json } from '#test/kit/crowd.ts'
import { newEvent } from '#test/resources/events.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Groups by periods of a date, `$dateTrunc` (ADR 0137).

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

/** Moments around changes of the clocks, in steps of half an hour, and at ends of weeks, quarters and years. */
const around = (from: string): string[] =>
  Array.from({ length: 60 }, (_, at) => new Date(Date.parse(from) + at * 1_800_000).toISOString())
const ends = [
  '2023-12-31T23:30Z',
  '2024-01-01T04:30Z',
  '2024-03-31T23:59:59Z',
  '2024-04-01T12:00Z',
  '2025-06-15T00:00Z',
]

type Field = { name: string; type: 'date' | 'day' }
const fields: Field[] = [
  { name: 'Seen', type: 'date' },
  { name: 'Born', type: 'day' },
]

async function accountIn(timeZone: string, moments: readonly string[]): Promise<{ account: number; member: Member }> {
  const { database } = portal.parts
  const account = await portal.account()
  await database.pool.query('UPDATE portico.accounts SET time_zone = $1 WHERE id = $2', [timeZone, account])
  const contacts = moments.map((Seen, at) => ({ Seen, Born: at % 3 === 0 ? null : Seen.slice(0, 10), City: 'Oslo' }))
  await addContacts(database, account, { Seen: 'date', Born: 'day', City: 'string' }, [...contacts, { City: 'Bern' }])
  return { account, member: await portal.member(account) }
}

type Rows = Record<string, unknown>[]
const ask = async (member: Member, query: string) => member.get(`/contact-service/v1/offers?${query}`)
const groupBy = (key: unknown) => [{ $group: { _id: { Key: key }, n: { $count: {} } } }]
const cut = (unit: string, field: string) => ({ $dateTrunc: { date: `$${field}`, unit } })

/** The first day of the period of a local time, put together from what `to_char` says. */
const byHand: Record<string, string> = {
  day: `to_char(local, 'YYYY-MM-DD')`,
  week: `to_char(to_date(to_char(local, 'IYYY-IW'), 'IYYY-IW'), 'YYYY-MM-DD')`,
  month: `to_char(local, 'YYYY-MM') || '-01'`,
  quarter: `to_char(local, 'YYYY-') || lpad((to_char(local, 'Q')::int * 3 - 2)::text, 2, '0') || '-01'`,
  year: `to_char(local, 'YYYY') || '-01-01'`,
}

describe.each([
  ['America/Havana', '2024-11-02T16:00Z'],
  ['Asia/Beirut', '2024-03-30T08:00Z'],
  ['Pacific/Apia', '2011-12-29T20:00Z'],
])('groups by periods in %s', (timeZone, from) => {
  const moments = [...around(from), ...ends]
  let member: Member

  beforeAll(async () => {
    member = (await accountIn(timeZone, moments)).member
  })

  test.each(fields.flatMap((field) => dateUnits.map((unit) => [unit, field] as const)))(
    'by %s of $name are those that SQL by hand counts, and each is narrowed to',
    async (unit, field) => {
      const stages = groupBy(cut(unit, field.name))
      const rows = (await ask(member, `aggregate=${json(stages)}&limit=1000`)).json<Rows>()
      const local = field.type === 'day' ? 'Born::date::timestamp' : 'Seen::timestamptz AT TIME ZONE $2::text'
      const { rows: expected } = await portal.parts.database.pool.query<{ Key: string; n: number }>(
        `SELECT ${byHand[unit]} AS "Key", count(*)::int AS n
         FROM (SELECT ${local} AS local FROM jsonb_to_recordset($1::jsonb) AS of (Seen text, Born text)
               WHERE $2::text <> '') AS every GROUP BY 1 ORDER BY 1`,
        [
          JSON.stringify(moments.map((seen, at) => ({ seen, born: at % 3 === 0 ? null : seen.slice(0, 10) }))),
          timeZone,
        ],
      )
      // The contact without any date is in the group without a value, beside those without this one.
      const known = expected.filter(({ Key }) => Key !== null)
      expect(rows.slice(0, -1)).toEqual(known)
      expect(rows.at(-1)).toMatchObject({ Key: null })
      for (const { Key, n } of rows) {
        const behind = writePipeline(contactsBehind(parsePipeline(stages), { Key }, fields) ?? [])
        expect((await ask(member, `find=${json(behind)}&count=`)).body).toEqual({ count: n })
      }
    },
  )
})

describe('a period', () => {
  let account: number
  let member: Member

  beforeAll(async () => {
    ;({ account, member } = await accountIn('America/New_York', ['2024-11-03T05:30Z', '2025-01-01T04:00Z']))
    const [first] = (await ask(member, `find=[]&select=_id&sort=${json({ _id: 1 })}`)).json<{ _id: string }[]>()
    const dates = ['2025-03-31T23:00:00Z', '2025-04-01T04:30:00Z']
    const events = dates.map((date) => newEvent(first?._id ?? '', { date: new Date(date) }))
    await recordEvents(portal.parts.database.db, account, events)
  })

  test('of events is one in the time zone of the account, too', async () => {
    const stages = [{ $unwind: '$events' }, ...groupBy(cut('quarter', 'events.event_date'))]
    expect((await ask(member, `aggregate=${json(stages)}`)).body).toEqual([
      { Key: '2025-01-01', n: 1 },
      { Key: '2025-04-01', n: 1 },
    ])
  })

  test('is a day to later stages, and to what is computed', async () => {
    const later = [{ $match: { Key: { $gte: '2025-01-01' } } }, { $group: { _id: { $year: '$Key' } } }]
    const stages = [...groupBy(cut('month', 'Born')), ...later]
    expect((await ask(member, `aggregate=${json(stages)}`)).body).toEqual([{ _id: 2025 }])
    const week = [{ $match: { City: 'Oslo' } }, { $project: { _id: 0, week: cut('week', 'Seen') } }]
    expect((await ask(member, `aggregate=${json(week)}`)).body).toEqual([
      { week: '2024-10-28' },
      { week: '2024-12-30' },
    ])
  })

  test.each([
    ['another unit', cut('decade', 'Seen'), '"$dateTrunc" of "Seen" needs a unit: day, week, month, quarter or year.'],
    ['no unit', { $dateTrunc: '$Seen' }, '"$dateTrunc" of "Key" needs a unit: day, week, month, quarter or year.'],
    ['a text', cut('month', 'City'), '"$dateTrunc" needs a date; "City" is not.'],
    ['a field of another account', cut('month', 'Since'), 'Unexpected field in standard filter: "Since"'],
    [
      'a first day of weeks',
      { $dateTrunc: { date: '$Seen', unit: 'week', startOfWeek: 'sunday' } },
      '"$dateTrunc" of "Seen" takes a date and a unit, not "startOfWeek": weeks begin on Monday, and the time zone is the account’s.',
    ],
  ])('of %s is refused by name', async (_what, key, message) => {
    const stranger = await portal.account()
    await addContacts(portal.parts.database, stranger, { Since: 'date' }, [{ Since: '2024-01-01T00:00Z' }])
    expect(await ask(member, `aggregate=${json(groupBy(key))}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_filter', message } },
    })
  })

  test('of a field that a person may not read is refused', async () => {
    const limited = await memberWith(portal, account, {
      actions: ['contact-service::offers::get'],
      conditions: ['query::select::nin::Seen'],
    })
    const statuses = ['Seen', 'Born'].map(async (field) => {
      const answer = await ask(limited, `aggregate=${json(groupBy(cut('month', field)))}`)
      return answer.status
    })
    expect(await Promise.all(statuses)).toEqual([403, 200])
  })

  test('narrows the cells of a dashboard, and is a value of a dropdown', async () => {
    const options = { colors: ['#1971c2'] }
    const chart = (id: string, type: string, filter: object) => ({
      id,
      cols: 4,
      chart: { type, title: id, filter, options },
    })
    const { _id, version } = await createDashboard(member, {
      definition: definition([
        chart('months', 'Table', { standard: groupBy(cut('month', 'Seen')) }),
        chart('years', 'Dropdown', { standard: groupBy(cut('year', 'Seen')) }),
        chart('count', 'KPI', { standard: [] }),
      ]),
    })
    const cell = async (id: string, choices: object = {}) =>
      (await member.post(`${dashboardsPath}/${_id}/cells/${id}`, { version, ...choices })).json<CellAnswer>()
    expect((await cell('years')).rows).toEqual([
      { value: '2024-01-01', count: 2 },
      { value: null, count: 1 },
    ])
    const counted = async (choices: object) => (await cell('count', choices)).kpi?.value
    expect(await counted({ clicks: [{ cell: 'months', keys: [['2024-12-01']] }] })).toBe(1)
    expect(await counted({ clicks: [{ cell: 'months', keys: [['2024-12-01'], ['2024-11-01'], [null]] }] })).toBe(3)
    expect(await counted({ choices: [{ cell: 'years', include: [], exclude: ['2024-01-01'] }] })).toBe(1)
  })
})
