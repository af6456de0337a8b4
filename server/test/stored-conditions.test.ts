import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeIdentity } from '#test/kit/administration.ts'
import { makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { memberWith } from '#test/resources/access.ts'
import { addCron, crons, runsOf, schedules } from '#test/resources/crons.ts'
import { createDashboard, dashboardsPath, refused, saveDashboard } from '#test/resources/dashboards.ts'

// Calls that act on something stored are judged as if it were saved now (`isJudgedAsStored` of the contract).

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const notAllowed = refused(403, 'not_allowed')

describe('a cron', () => {
  const inside = 'ada@inside.example'
  const outside = 'eve@outside.example'
  const changes: [string, (by: Client, id: string) => Promise<Answer>, status: number][] = [
    ['paused', (by, id) => by.post(`${crons}/${id}/pause`, { reason: 'Holidays' }), 200],
    ['resumed', (by, id) => by.post(`${crons}/${id}/resume`), 200],
    ['run now', (by, id) => by.post(`${crons}/${id}/run`), 202],
    ['run again', (by, id) => by.post(`${crons}/${id}/backfills`, { from: '2026-01-01T00:00:00Z' }), 400],
    ['skipped', (by, id) => by.post(`${crons}/${id}/skips`, { date: '2026-01-01T00:00:00Z' }), 400],
  ]

  test.each([
    ['must have', 'body::notificationEmails::ew::@inside.example'],
    ['must not have', 'body::notificationEmails::nct::outside'],
  ])('that %s certain addresses, can be changed in any way only if its addresses are so', async (_rule, condition) => {
    const limited = await memberWith(
      portal,
      owner.account,
      { actions: ['contact-service::exports::*'] },
      { actions: ['scheduler::crons::*'], conditions: [condition] },
    )
    const [own, others] = [
      await addCron(owner, { notificationEmails: inside }),
      await addCron(owner, { notificationEmails: outside }),
    ]
    for (const [name, change, status] of changes) {
      expect([name, await change(limited, own._id)]).toMatchObject([name, { status }])
      expect([name, await change(limited, others._id)]).toMatchObject([name, notAllowed])
    }
    const [run] = await runsOf(owner, others._id)
    const resend = `${schedules}/${run?._id}/deliveries/1/resend`
    expect(await limited.post(resend)).toMatchObject(notAllowed)
    expect(await owner.post(resend)).toMatchObject({ status: 404 })
    const stranger = await portal.member(await portal.account())
    for (const [name, change] of changes) {
      expect([name, await change(stranger, own._id)]).toMatchObject([name, { status: 404 }])
    }
  })

  test('is judged with the stages of the saved filter that it names', async () => {
    const filter = { name: 'Ids', aggregateQuery: JSON.stringify([{ $match: { _id: '4711' } }]) }
    const { _id } = (await owner.post('/contact-service/v1/rdls', filter)).json<{ _id: string }>()
    const aggregateQuery = JSON.stringify([{ $predefined: _id }])
    const instruction = { name: 'Named', delimiter: 'csv' as const, exportFields: ['_id'], aggregateQuery }
    const cron = await addCron(owner, { instruction })
    const limited = await memberWith(portal, owner.account, {
      actions: ['scheduler::crons::put'],
      conditions: ['body::instruction.aggregateQuery::nct::4711'],
    })
    expect(await limited.post(`${crons}/${cron._id}/pause`, {})).toMatchObject(notAllowed)
  })

  test('that does not exist looks like one outside the conditions', async () => {
    const limited = await memberWith(portal, owner.account, {
      actions: ['scheduler::crons::put'],
      conditions: ['body::name::sw::Team'],
    })
    const cron = await addCron(owner)
    const unlike = await limited.post(`${crons}/${cron._id}/pause`, {})
    expect(unlike).toMatchObject(notAllowed)
    expect((await limited.post(`${crons}/${crypto.randomUUID()}/pause`, {})).body).toEqual(unlike.body)
  })
})

test('a version of a dashboard is restored as if it were saved', async () => {
  const limited = await memberWith(
    portal,
    owner.account,
    { actions: ['contact-service::offers::get', 'bi::dashboards::get', 'bi::dashboards::post'] },
    { actions: ['bi::dashboards::put'], conditions: ['body::name::sw::Team'] },
  )
  const { _id } = await createDashboard(limited, { name: 'My own' })
  expect(await saveDashboard(limited, _id, { name: 'Team sales' })).toMatchObject({ status: 200 })
  expect(await saveDashboard(limited, _id, { name: 'Team events' })).toMatchObject({ status: 200 })
  const restore = (version: number) => limited.post(`${dashboardsPath}/${_id}/versions/${version}/restore`, {})
  expect(await restore(1)).toMatchObject(notAllowed)
  expect(await restore(2)).toMatchObject({ status: 200, body: { name: 'Team sales' } })
})

test('an invitation is sent again only to those whom its sender may invite', async () => {
  const admin = await portal.powerAdmin()
  const limited = await makeLimitedAdmin(portal, admin, {
    actions: ['*::*::post'],
    conditions: ['body::email::ew::@inside.example'],
  })
  const invite = async (email: string) => {
    const { _id } = await makeIdentity(admin, { email, groups: [limited.group._id] })
    return limited.post(`/identity/v1/identities/${_id}/invitation`)
  }
  expect(await invite('ada@inside.example')).toMatchObject({ status: 204 })
  expect(await invite('eve@outside.example')).toMatchObject(notAllowed)
})

test('fields of events, which all pages share, take a right without conditions', async () => {
  const path = '/contact-service/v1/fields/events'
  const limited = await memberWith(portal, owner.account, {
    actions: ['contact-service::remoteAccess::*'],
    conditions: ['body::publicColumns::nct::salary'],
  })
  const message = expect.stringContaining('without conditions')
  expect(await limited.post(path, { name: 'basket' })).toMatchObject(refused(403, 'not_allowed', { message }))
  const free = await memberWith(portal, owner.account, { actions: ['contact-service::remoteAccess::*'] })
  expect(await free.post(path, { name: 'basket' })).toMatchObject({ status: 201 })
  expect(await limited.delete(`${path}/basket`)).toMatchObject(refused(403, 'not_allowed', { message }))
  expect(await free.delete(`${path}/basket`)).toMatchObject({ status: 200 })
})
