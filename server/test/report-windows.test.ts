import type { Dashboard } from '@portico/contract/dashboards'
import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDashboard, definition, inAccounts } from '#test/resources/dashboards.ts'
import { importFile } from '#test/resources/imports.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import {
  byCity,
  endedRun,
  fileOf,
  instructionFor,
  reportCron,
  startReporting,
  type Reporting,
  year,
} from '#test/resources/reports.ts'

// The window of a report selects days like the date pickers of its dashboard, and only narrows a cell's own filter.

let reporting: Reporting
let portal: TestPortal
let owner: Member
/** Sees dashboards and schedules reports, but cannot read contacts. */
let viewer: Member

beforeAll(async () => {
  reporting = await startReporting()
  portal = reporting.portal
  owner = await portal.member(await portal.account())
  await importFile(portal, owner, `Name,City,Joined\nAda,Geneva,${year}-09-15\nBob,Bern,${year}-10-25\n`, {
    typeCasting: true,
  })
  for (const [name, day] of [
    ['Ada', '09-15'],
    ['Bob', '10-25'],
  ] as const) {
    const find = encodeURIComponent(JSON.stringify([{ $match: { Name: name } }]))
    const [contact] = (await owner.get(`/contact-service/v1/offers?find=${find}`)).json<{ _id: string }[]>()
    const event = { event_code: 'buy', event_date: `${year}-${day}T10:00:00Z`, app_code: 'shop' }
    const sent = await owner.post(`/contact-service/v1/offers/${contact?._id}/events`, event)
    if (sent.status >= 300) throw new Error(`The event was not added: ${sent.status}`)
  }
  viewer = await portal.member(
    owner.account,
    'bi::dashboards::get',
    'contact-service::downloads::get',
    'scheduler::crons::*',
    'scheduler::schedules::get',
  )
})
afterAll(() => reporting.close())

const group = byCity.filter.standard
const since = { $gte: `${year}-10-20` }
const ofEvents = [{ $match: { events: { $elemMatch: { event_date: since, event_code: 'buy' } } } }]
const unwound = [{ $unwind: '$events' }, { $match: { 'events.event_date': since } }]
const joined = [{ $match: { Joined: since } }]
const charts = (standard: object[]) => ({ ...byCity, filter: { standard: [...standard, ...group] } })

const shared = (...cells: object[]): Promise<Dashboard> =>
  createDashboard(owner, {
    sharedWith: inAccounts(owner.account),
    definition: definition(cells.map((chart, at) => ({ id: `c${at}`, cols: 6, chart }))),
  })

const runOf = (by: Member, dashboard: Dashboard, offset: string): Promise<ScheduleDetails> =>
  endedRun(portal, by, reportCron(instructionFor(dashboard, { offset })))
const textOf = async (by: Member, dashboard: Dashboard, offset: string): Promise<string> =>
  (await fileOf(portal, by, await runOf(by, dashboard, offset))).text

const picker = (more: object = {}) => ({
  type: 'DatePicker',
  title: 'When',
  datePickerType: 'month',
  defaultId: '29',
  ...more,
})

describe('without a date picker', () => {
  test.each([
    ['a condition on an event', ofEvents],
    ['events one by one', unwound],
  ])('a window only narrows the dates of a cell: %s', async (_what, standard) => {
    const dashboard = await shared(charts(standard))
    for (const by of [viewer, owner]) {
      expect(await textOf(by, dashboard, '93')).toBe('City,count\r\nBern,1\r\n')
      expect(await textOf(by, dashboard, '4')).toBe('City,count\r\n')
    }
  })

  test('a picker of another date does not let a window replace them', async () => {
    const dashboard = await shared(charts(ofEvents), picker({ portico: { dateField: 'Joined' }, maxRange: 93 }))
    expect(await textOf(viewer, dashboard, '93')).toBe('City,count\r\nBern,1\r\n')
  })
})

describe('with a date picker', () => {
  test('a window replaces the dates of a cell, as choosing these days on the screen does', async () => {
    const dashboard = await shared(charts(joined), picker({ portico: { dateField: 'Joined' }, maxRange: 93 }))
    expect(await textOf(viewer, dashboard, '93')).toBe('City,count\r\nBern,1\r\nGeneva,1\r\n')
  })

  test.each([
    ['as many days', { maxRange: 31 }, '32', 'LM'],
    ['more days', { maxRange: 62 }, 'LQ', '62'],
    ['single days', { datePickerType: 'day', defaultId: 'Y' }, '2', '1'],
  ])('viewers can only use windows that the picker allows: %s', async (_what, more, refusedOffset, taken) => {
    const dashboard = await shared(charts([]), picker({ portico: { dateField: 'Joined' }, ...more }))
    expect(await runOf(viewer, dashboard, refusedOffset)).toMatchObject({
      status: 'terminated',
      comment: expect.stringContaining('When') as string,
    })
    expect(await runOf(viewer, dashboard, taken)).toMatchObject({ status: 'completed' })
    // Callers who may search for it themselves could request any days.
    expect(await runOf(owner, dashboard, refusedOffset)).toMatchObject({ status: 'completed' })
  })
})
