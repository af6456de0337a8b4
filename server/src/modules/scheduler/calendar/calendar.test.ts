import type { CalendarDay, Schedule } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCron, crons, dayFromToday, schedules } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let owner: Member
let hourly: string

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  hourly = (
    await addCron(owner, { name: 'Hourly', cron: '0 * * * *', cronStart: dayFromToday(2), cronEnd: dayFromToday(4) })
  )._id
  // A run every half hour of the day before yesterday, of all statuses.
  await portal.parts.database.pool.query(
    `INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, status, sequence)
     SELECT $1, $2, 'EXPORT', $3::timestamptz + i * interval '30 minutes',
       (ARRAY['completed', 'terminated', 'processing'])[least(1 + i % 2 + (i / 47), 3)], i
     FROM generate_series(0, 47) AS i`,
    [owner.account, hourly, `${dayFromToday(-2)}T00:00:00Z`],
  )
})
afterAll(() => portal.close())

const calendar = '/scheduler/v1/calendar'
const month = `from=${dayFromToday(-3)}&to=${dayFromToday(20)}`

async function daysOf(query: string, by = owner): Promise<CalendarDay[]> {
  const reply = await by.get(`${calendar}?consumerCode=EXPORT&zone=UTC&${month}&${query}`)
  expect(reply.body).toMatchObject({ days: expect.any(Array) })
  return reply.json<{ days: CalendarDay[] }>().days
}

test('counts the runs of each day by status, with the first five', async () => {
  const days = await daysOf('')
  expect(days.map(({ day }) => day)).toEqual([-2, 2, 3, 4].map(dayFromToday))
  expect(days[0]?.counts).toEqual({ completed: 24, terminated: 23, processing: 1 })
  expect(days[1]?.counts).toEqual({ waiting: 1, upcoming: 23 })
  expect(days[2]?.counts).toEqual({ upcoming: 24 })
  for (const { runs, day } of days) {
    expect(runs).toHaveLength(5)
    expect(runs[0]?.date).toBe(`${day}T00:00:00.000Z`)
    const dates = runs.map(({ date }) => date)
    expect(dates).toEqual([...dates].toSorted((one, other) => Date.parse(one) - Date.parse(other)))
  }
})

test('narrows to a status, weekdays and hours in the zone', async () => {
  expect((await daysOf('status=completed')).map(({ counts }) => counts)).toEqual([{ completed: 24 }])
  const upcoming = await daysOf('status=upcoming')
  expect(upcoming.map(({ counts }) => counts.upcoming)).toEqual([23, 24, 24])
  const morning = await daysOf('hours=0-6')
  expect(morning.at(-1)?.counts).toEqual({ upcoming: 6 })
  const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()
  const [atWork, atWeekend] = await Promise.all([daysOf('weekdays=Mon-Fri'), daysOf('weekdays=Sat-Sun')])
  expect(atWork.every(({ day }) => weekday(day) >= 1 && weekday(day) <= 5)).toBe(true)
  expect(atWeekend.every(({ day }) => [0, 6].includes(weekday(day)))).toBe(true)
  expect(atWork.length + atWeekend.length).toBe(4)
  const reply = await owner.get(`${calendar}?consumerCode=EXPORT&zone=Asia/Kolkata&${month}`)
  const [first] = reply.json<{ days: CalendarDay[] }>().days
  // Midnight in UTC is 5:30 there, so the day ends with the run at 18:00 UTC.
  expect(first?.counts).toEqual({ completed: 19, terminated: 18 })
})

test('counts more than 10,000 upcoming runs of a month, excluding skipped ones', async () => {
  const busy = await portal.member(await portal.account())
  const often = { cron: '*/5 * * * *', cronStart: dayFromToday(1) }
  for (const name of ['C', 'B', 'A']) await addCron(busy, { ...often, name })
  const fewer = await addCron(busy, { ...often, name: 'Fewer', cronRepeat: 300 })
  const skipped = await busy.post(`${crons}/${fewer._id}/skips`, { date: `${dayFromToday(2)}T00:05:00Z` })
  expect(skipped).toMatchObject({ status: 201 })
  const days = await daysOf('', busy)
  const perDay = 288
  expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 20 }, (_, at) => dayFromToday(at + 1)))
  expect(days[0]?.counts).toEqual({ waiting: 4, upcoming: 4 * (perDay - 1) })
  expect(days[1]?.counts).toEqual({ terminated: 1, upcoming: 3 * perDay + 11 })
  for (const { counts } of days.slice(2)) expect(counts).toEqual({ upcoming: 3 * perDay })
  const firstOf = (day: CalendarDay | undefined) =>
    day?.runs.map(({ cron, date }) => `${cron.name} ${date.slice(11, 16)}`)
  expect(firstOf(days[1])).toEqual(['A 00:00', 'B 00:00', 'C 00:00', 'Fewer 00:00', 'Fewer 00:05'])
  expect(firstOf(days[2])).toEqual(['A 00:00', 'B 00:00', 'C 00:00', 'A 00:05', 'B 00:05'])
  expect((await daysOf('hours=6-6&status=upcoming', busy))[2]?.counts).toEqual({ upcoming: 3 * 72 })
})

test('shows nothing to other accounts, and lists runs with either spelling of the range', async () => {
  const stranger = await portal.member(await portal.account())
  expect(await daysOf('', stranger)).toEqual([])
  const [from, to] = [`${dayFromToday(-2)}T10:00:00Z`, `${dayFromToday(-2)}T12:00:00Z`]
  const lists = await Promise.all(
    [`from=${from}&to=${to}`, `start=${from}&end=${to}`].map(async (range) =>
      (await owner.get(`${schedules}?consumerCode=export&${range}`)).json<Schedule[]>().map(({ date }) => date),
    ),
  )
  expect(lists[0]).toHaveLength(4)
  expect(lists[1]).toEqual(lists[0])
  const upcoming = await owner.get(`${schedules}?consumerCode=EXPORT&status=upcoming&to=${dayFromToday(3)}T00:00:00Z`)
  expect(upcoming.json<Schedule[]>().map(({ status }) => status)).toEqual(Array(23).fill('upcoming'))
})

test('refuses unknown ranges and filters', async () => {
  const bad = [
    `consumerCode=EXPORT&zone=UTC&from=${dayFromToday(3)}&to=${dayFromToday(1)}`,
    `consumerCode=EXPORT&zone=UTC&from=${dayFromToday(0)}&to=${dayFromToday(46)}`,
    `consumerCode=EXPORT&zone=Nowhere&${month}`,
    `consumerCode=EXPORT&zone=UTC&${month}&hours=1-2`,
    `consumerCode=EXPORT&zone=UTC&${month}&weekdays=Mon`,
    `consumerCode=EXPORT&zone=UTC&${month}&status=lost`,
  ]
  for (const query of bad) expect(await owner.get(`${calendar}?${query}`)).toMatchObject({ status: 400 })
  expect(await owner.get(schedules)).toMatchObject({ status: 400 })
  expect(await owner.get(`${schedules}?consumerCode=EXPORT&status=upcoming`)).toMatchObject({ status: 400 })
})
