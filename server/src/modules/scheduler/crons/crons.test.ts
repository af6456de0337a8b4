import type { Cron } from '@portico/contract/scheduler/crons'
import type { Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCron, crons, dayFromToday, newCron, runsOf } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

describe('a new cron', () => {
  test('is listed and read back without ignored values, with its first run created', async () => {
    const sent = newCron({ name: 'Every morning', cronDesc: 'ignored', terminated: true, cronEnd: dayFromToday(30) })
    const reply = await owner.post(`${crons}?consumerCode=export`, { ...sent, consumerCode: undefined })
    expect(reply).toMatchObject({ status: 201 })
    const cron = reply.json<Cron>()
    expect(cron).toMatchObject({
      name: 'Every morning',
      consumerCode: 'EXPORT',
      notificationEmails: 'ada@example.com',
      cronTZ: 'UTC',
      cron: '30 9 * * *',
      cronStart: sent.cronStart,
      cronEnd: sent.cronEnd,
      cronRepeat: null,
      terminated: false,
      author: owner.email,
      paused: null,
      lastRun: null,
      lastComletedScheduleId: null,
      nextRunAt: `${sent.cronStart}T09:30:00.000Z`,
      instruction: { name: 'Daily export', exportFields: ['_id'] },
    })
    expect(cron.cronDesc).toContain('9:30 AM')
    expect((await owner.get(`${crons}/${cron._id}`)).body).toEqual(cron)
    expect(await runsOf(owner, cron._id)).toMatchObject([
      {
        _id: cron.nextScheduleId,
        status: 'waiting',
        runSequence: 1,
        scheduleDate: cron.nextRunAt,
        date: cron.nextRunAt,
      },
    ])
  })

  test('is refused with each invalid field', async () => {
    const fieldsOf = async (changes: Parameters<typeof newCron>[0]): Promise<unknown> => {
      const reply = await owner.post(crons, newCron(changes))
      expect(reply).toMatchObject({ status: 400 })
      return reply.json<{ error: { details: unknown } }>().error.details
    }
    const required = 'Value is required!'
    expect(await fieldsOf({ name: '', notificationEmails: '', cron: '', cronTZ: '', cronStart: '' })).toEqual(
      ['name', 'notificationEmails', 'cron', 'cronTZ', 'cronStart'].map((field) => ({ field, message: required })),
    )
    expect(await fieldsOf({ notificationEmails: 'ada@example.com, bob' })).toEqual([
      { field: 'notificationEmails', message: 'bob is invalid!' },
    ])
    expect(await fieldsOf({ cronStart: dayFromToday(-1) })).toEqual([{ field: 'cronStart', message: 'Value is past!' }])
    expect(await fieldsOf({ cronStart: dayFromToday(5), cronEnd: dayFromToday(3) })).toEqual([
      { field: 'cronEnd', message: 'Value is invalid!' },
    ])
    expect(await fieldsOf({ cron: '*/2 * * * *' })).toMatchObject([{ field: 'cron' }])
    expect(await fieldsOf({ cron: '0 0 30 2 *' })).toEqual([{ field: 'cron', message: 'This never runs.' }])
    expect(await fieldsOf({ instruction: null })).toEqual([{ field: 'instruction', message: required }])
    const instruction = { name: 'Daily export', delimiter: 'csv', exportFields: ['Nowhere'] }
    expect(await fieldsOf({ instruction })).toMatchObject([{ field: 'instruction.exportFields' }])
    const dated = { ...instruction, exportFields: ['_id'], dateField: '_id', offset: '7' }
    expect(await fieldsOf({ instruction: dated })).toMatchObject([{ field: 'instruction.dateField' }])
    const late = { ...dated, dateField: undefined, offset: '94' }
    expect(await fieldsOf({ instruction: late })).toEqual([
      { field: 'instruction.offset', message: 'Value cannot be greater than 93' },
    ])
  })

  test('names exactly one consumer, in the query or in the body', async () => {
    const draft = newCron({ consumerCode: undefined })
    expect(await owner.post(crons, draft)).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'consumerCode', message: 'Value is required!' }] } },
    })
    expect(await owner.post(`${crons}?consumerCode=BI`, newCron())).toMatchObject({ status: 400 })
    expect(await owner.get(`${crons}?consumerCode=WEATHER`)).toMatchObject({ status: 400 })
    expect(await owner.post(`${crons}?consumerCode=EXPORT`, newCron())).toMatchObject({ status: 201 })
  })

  test('has a unique name among the active ones of its consumer, regardless of case', async () => {
    const { _id } = await addCron(owner, { name: 'Taken' })
    const again = await owner.post(crons, newCron({ name: ' tAKEN' }))
    expect(again).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'name', message: 'Name already exists!' }] } },
    })
    await owner.put(`${crons}/${_id}`, newCron({ name: 'Taken', terminated: true }))
    expect(await owner.post(crons, newCron({ name: 'taken' }))).toMatchObject({ status: 201 })
    const elsewhere = await portal.member(await portal.account())
    expect(await elsewhere.post(crons, newCron({ name: 'taken' }))).toMatchObject({ status: 201 })
  })

  test('is saved once when several are sent concurrently under one name', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => owner.post(crons, newCron({ name: 'At once' }))))
    expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 400, 400])
  })

  test('has one run if it runs once, and as many runs as repeats', async () => {
    const [moment] = [`${dayFromToday(2)}T08:15:00.000Z`]
    const day = new Date(moment)
    const once = await addCron(owner, {
      cron: `15 8 ${day.getUTCDate()} ${day.getUTCMonth() + 1} *`,
      cronStart: moment,
      cronRepeat: 1,
    })
    expect(once.nextRunAt).toBe(moment)
    expect(await upcoming(owner, once._id, dayFromToday(900))).toEqual([])
    const thrice = await addCron(owner, { cronRepeat: 3 })
    expect(await upcoming(owner, thrice._id, dayFromToday(30))).toHaveLength(2)
  })
})

async function upcoming(client: Member, cron: string, end: string): Promise<Schedule[]> {
  const reply = await client.get(`${crons}?consumerCode=EXPORT&cronId=${cron}&instances=${end}T00:00:00Z`)
  expect(reply).toMatchObject({ status: 200 })
  return reply.json<Schedule[]>()
}

describe('a saved cron', () => {
  test('can change its name, emails and delivery, but not its timing or what it exports', async () => {
    const cron = await addCron(owner, { cronEnd: dayFromToday(40) })
    const instruction = { ...cron.instruction, name: 'Other name', delimiter: 'tab' }
    const changed = { ...cron, name: 'New name', notificationEmails: 'bob@example.com', instruction }
    const reply = await owner.put(`${crons}/${cron._id}?consumerCode=EXPORT`, changed)
    expect(reply).toMatchObject({ status: 200, body: { name: 'New name', notificationEmails: 'bob@example.com' } })
    expect(reply.body).toMatchObject({ instruction: { name: 'Other name', delimiter: 'tab' } })
    const refused: [object, string][] = [
      [{ cron: '0 9 * * *' }, 'cron'],
      [{ cronTZ: 'Europe/Zurich' }, 'cronTZ'],
      [{ cronStart: dayFromToday(3) }, 'cronStart'],
      [{ cronEnd: dayFromToday(50) }, 'cronEnd'],
      [{ instruction: { ...instruction, offset: '7' } }, 'instruction.offset'],
      [{ instruction: { ...instruction, exportFields: ['purl'] } }, 'instruction.exportFields'],
    ]
    for (const [change, field] of refused) {
      const again = await owner.put(`${crons}/${cron._id}`, { ...changed, ...change, version: 2 })
      expect(again.body).toMatchObject({ error: { details: [{ field, message: 'Value is not allowed!' }] } })
    }
  })

  test('ends together with its runs, and is then read-only', async () => {
    const cron = await addCron(owner)
    const ended = await owner.put(`${crons}/${cron._id}`, { ...cron, terminated: true })
    expect(ended).toMatchObject({ status: 200, body: { terminated: true, nextRunAt: null, nextScheduleId: null } })
    expect(await runsOf(owner, cron._id)).toMatchObject([{ status: 'terminated' }])
    const calls = [
      owner.put(`${crons}/${cron._id}`, cron),
      owner.put(`${crons}/${cron._id}`, { ...cron, terminated: true }),
      owner.post(`${crons}/${cron._id}/pause`, {}),
      owner.post(`${crons}/${cron._id}/resume`),
      owner.post(`${crons}/${cron._id}/run`),
      owner.post(`${crons}/${cron._id}/author`),
    ]
    for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ status: 409 })
    const lists = ['true', 'false'].map(async (terminated) => {
      const reply = await owner.get(`${crons}?consumerCode=EXPORT&terminated=${terminated}`)
      return reply.json<Cron[]>().some(({ _id }) => _id === cron._id)
    })
    expect(await Promise.all(lists)).toEqual([true, false])
  })
})

test('a cron keeps its times when the time zone of its account changes', async () => {
  const member = await portal.member(await portal.account())
  const cron = await addCron(member, { cronTZ: 'Asia/Kolkata' })
  expect(cron.nextRunAt).toBe(`${dayFromToday(1)}T04:00:00.000Z`)
  const before = await upcoming(member, cron._id, dayFromToday(9))
  const admin = await portal.powerAdmin()
  const changed = await admin.put(`/identity/v1/accounts/${member.account}`, { timeZone: 'America/New_York' })
  expect(changed).toMatchObject({ status: 200, body: { timeZone: 'America/New_York' } })
  expect((await member.get(`${crons}/${cron._id}`)).body).toEqual(cron)
  expect(await upcoming(member, cron._id, dayFromToday(9))).toEqual(before)
  expect(await member.put(`${crons}/${cron._id}`, cron)).toMatchObject({
    status: 200,
    body: { nextRunAt: cron.nextRunAt, cronDesc: cron.cronDesc },
  })
})

describe('an upcoming run', () => {
  test('can be skipped once, and only at a due time', async () => {
    const cron = await addCron(owner)
    const [next] = await runsOf(owner, cron._id)
    const [second] = await upcoming(owner, cron._id, dayFromToday(5))
    for (const date of [next?.date, second?.date]) {
      const reply = await owner.post(`${crons}/${cron._id}/skips`, { date })
      expect(reply).toMatchObject({ status: 201, body: { status: 'terminated', omission: 'skipped', date } })
    }
    const again = await owner.post(`${crons}/${cron._id}/skips`, { date: second?.date })
    expect(again).toMatchObject({ status: 400, body: { error: { details: [{ field: 'date' }] } } })
    const never = await owner.post(`${crons}/${cron._id}/skips`, { date: `${dayFromToday(2)}T10:00:00Z` })
    expect(never).toMatchObject({ status: 400 })
    expect((await upcoming(owner, cron._id, dayFromToday(5))).map(({ date }) => date)).not.toContain(second?.date)
    expect(await runsOf(owner, cron._id)).toMatchObject([
      { runSequence: 1, omission: 'skipped' },
      { runSequence: 2, omission: 'skipped' },
    ])
  })

  test('is listed if there are at most 10,000 of them', async () => {
    const other = await portal.member(await portal.account())
    await addCron(other, { cron: '*/5 * * * *' })
    const ask = (days: number) => other.get(`${crons}?consumerCode=EXPORT&instances=${dayFromToday(days)}T00:00:00Z`)
    const some = await ask(34)
    expect(some.json<Schedule[]>()).toHaveLength(33 * 288 - 1)
    const message = 'More than 10,000 runs. Choose a shorter time.'
    expect(await ask(37)).toMatchObject({
      status: 400,
      body: { error: { code: 'too_many_runs', details: [{ field: 'instances', message }] } },
    })
  })

  test('does not occur while the cron is paused', async () => {
    const cron = await addCron(owner)
    const paused = await owner.post(`${crons}/${cron._id}/pause`, { reason: 'Holidays' })
    expect(paused.body).toMatchObject({ nextRunAt: null, paused: { reason: 'Holidays', by: owner.email } })
    expect(await upcoming(owner, cron._id, dayFromToday(9))).toEqual([])
    expect((await owner.post(`${crons}/${cron._id}/resume`)).body).toMatchObject({ paused: null })
    expect(await upcoming(owner, cron._id, dayFromToday(9))).not.toEqual([])
  })
})

test('a list can be searched, sorted, counted and paged', async () => {
  const other = await portal.member(await portal.account())
  for (const name of ['Bee', 'ant', 'Cat']) await addCron(other, { name, notificationEmails: `${name}@example.com` })
  const names = async (query: string): Promise<string[]> =>
    (await other.get(`${crons}?consumerCode=EXPORT&${query}`)).json<Cron[]>().map(({ name }) => name)
  expect(await names('')).toEqual(['ant', 'Bee', 'Cat'])
  expect(await names('order=-1&limit=2')).toEqual(['Cat', 'Bee'])
  expect(await names('skip=2')).toEqual(['Cat'])
  expect(await names('search=ANT@')).toEqual(['ant'])
  expect(await names('sort=createdAt')).toEqual(['Bee', 'ant', 'Cat'])
  expect((await other.get(`${crons}?consumerCode=EXPORT&count=1`)).body).toEqual({ count: 3 })
  const [first] = (await other.get(`${crons}?consumerCode=EXPORT&instruction=false`)).json<Cron[]>()
  expect(first).not.toHaveProperty('instruction')
})

test('a run can be started by hand, one at a time', async () => {
  const cron = await addCron(owner)
  const started = await owner.post(`${crons}/${cron._id}/run`)
  expect(started).toMatchObject({ status: 202 })
  expect(started.json<ScheduleDetails>()).toMatchObject({ status: 'waiting', isRunNow: true, runSequence: null })
  expect(await owner.post(`${crons}/${cron._id}/run`)).toMatchObject({
    status: 409,
    body: { error: { code: 'run_waiting' } },
  })
})
