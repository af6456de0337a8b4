import type { Cron } from '@portico/contract/scheduler/crons'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, makeDue } from '#test/resources/crons.ts'
import { createDashboard, definition, inAccounts, saveDashboard } from '#test/resources/dashboards.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import {
  byCity,
  dashboardOf,
  dueAt,
  endedRun,
  endOfFirstRun,
  fileOf,
  instructionFor,
  peopleTable,
  reportCron,
  type Reporting,
  startReporting,
} from '#test/resources/reports.ts'

// The tables and charts of a dashboard that are part of a report.

let reporting: Reporting
let portal: TestPortal
let owner: Member

beforeAll(async () => {
  reporting = await startReporting()
  ;({ portal } = reporting)
  owner = await portal.member(await portal.account())
  await addContacts(portal.parts.database, owner.account, { Name: 'string', City: 'string', Joined: 'day' }, [
    { Name: 'Ada', City: 'Bern', Joined: '2026-01-30' },
    { Name: 'Bob', City: 'Lyon', Joined: '2026-03-02' },
  ])
})
afterAll(() => reporting.close())

const cell = (id: string, chart: object) => [{ id, cols: 12, chart }]
const save = (id: string, ...layout: object[][]) =>
  saveDashboard(owner, id, { sharedWith: inAccounts(owner.account), definition: definition(...layout) })
const people = 'Name\r\nAda\r\nBob\r\n'
const cities = 'City,count\r\nBern,1\r\nLyon,1\r\n'

test('a run takes exactly the chosen cells, or without a choice also those added later', async () => {
  const dashboard = await dashboardOf(owner, byCity, peopleTable)
  const chosen = await addCron(owner, reportCron(instructionFor(dashboard, { cells: ['cell1'] })))
  expect(chosen.instruction).toMatchObject({ cells: ['cell1'] })
  const all = await addCron(owner, reportCron(instructionFor(dashboard)))
  const added = cell('added', { ...peopleTable, title: 'More' })
  await save(dashboard._id, cell('cell0', byCity), cell('cell1', peopleTable), added)
  for (const { _id } of [chosen, all]) await makeDue(portal, _id, dueAt)
  expect((await fileOf(portal, owner, await endOfFirstRun(owner, chosen._id))).text).toBe(people)
  expect((await fileOf(portal, owner, await endOfFirstRun(owner, all._id))).text).toBe(
    ['By city', cities, 'People', people, 'More', people].join('\r\n'),
  )
})

test('a chosen cell that is gone is left out and noted; if none is left, the run says what to do', async () => {
  const dashboard = await dashboardOf(owner, byCity, peopleTable)
  const both = await addCron(owner, reportCron(instructionFor(dashboard, { cells: ['cell1', 'cell0'] })))
  const gone = await addCron(owner, reportCron(instructionFor(dashboard, { cells: ['cell1'] })))
  await save(dashboard._id, cell('cell0', byCity))
  for (const { _id } of [both, gone]) await makeDue(portal, _id, dueAt)
  const note = '1 of the 2 chosen tables and charts is no longer on the dashboard and was left out.'
  const run = await endOfFirstRun(owner, both._id)
  expect(run).toMatchObject({ status: 'completed', comment: expect.stringMatching(new RegExp(`${note}$`)) })
  expect(run.attempts).toMatchObject([{ status: 'completed', error: note }])
  expect((await fileOf(portal, owner, run)).text).toBe(cities)
  expect(await endOfFirstRun(owner, gone._id)).toMatchObject({
    status: 'terminated',
    comment: 'None of the chosen tables and charts is on the dashboard any more. Choose others.',
  })
})

test('a chart over time has its cumulative values and moving averages in reports too', async () => {
  const values = { n: { $count: {} }, m: { $count: {} } }
  const standard = [{ $group: { _id: { Month: { $dateTrunc: { date: '$Joined', unit: 'month' } } }, ...values } }]
  const running = { n: { kind: 'cumulative' }, m: { kind: 'average', points: 2 } }
  const chart = { ...byCity, type: 'Line', filter: { standard }, portico: { display: { running } } }
  const dashboard = await dashboardOf(owner, chart)
  const run = await endedRun(portal, owner, reportCron(instructionFor(dashboard)))
  expect((await fileOf(portal, owner, run)).text).toBe(
    'Month,n,n (cumulative),m,m (moving average of 2)\r\n2026-01-01,1,1,1,\r\n2026-03-01,1,2,1,0.5\r\n',
  )
})

test('a cron may change its choice and keep deleted cells, but not choose those its dashboard lacks', async () => {
  const dashboard = await dashboardOf(owner, byCity, peopleTable, { type: 'Text', title: 'Words' })
  const problem = (id: string) => ({
    status: 400,
    body: {
      error: {
        details: [{ field: 'instruction.cells', message: `The dashboard has no table or chart with the id ${id}.` }],
      },
    },
  })
  for (const id of ['cell2', 'none']) {
    const draft = reportCron(instructionFor(dashboard, { cells: ['cell0', id] }))
    expect(await owner.post(crons, draft)).toMatchObject(problem(id))
  }
  expect(await owner.post(crons, reportCron(instructionFor(dashboard, { cells: [] })))).toMatchObject({
    status: 400,
    body: { error: { details: [{ field: 'instruction.cells', message: 'Value is required!' }] } },
  })
  const cron = await addCron(owner, reportCron(instructionFor(dashboard, { cells: ['cell1'] })))
  await save(dashboard._id, cell('cell0', byCity))
  const change = (before: Cron, cells?: string[]) =>
    owner.put(`${crons}/${cron._id}`, { ...before, instruction: instructionFor(dashboard, cells && { cells }) })
  const kept = await change(cron, ['cell1', 'cell0'])
  expect(kept).toMatchObject({ status: 200, body: { instruction: { cells: ['cell1', 'cell0'] } } })
  expect(await change(kept.json<Cron>(), ['none'])).toMatchObject(problem('none'))
  const all = await change(kept.json<Cron>())
  expect(all).toMatchObject({ status: 200 })
  expect(all.json<Cron>().instruction).not.toHaveProperty('cells')
})

test('a condition on the choice applies to each chosen cell, as an object or as text', async () => {
  const dashboard = await createDashboard(owner, {
    sharedWith: inAccounts(owner.account),
    definition: definition(cell('free', byCity), cell('secret', peopleTable)),
  })
  const conditions = ['body::instruction.cells::in::free']
  const limited = await memberWith(
    portal,
    owner.account,
    { actions: ['scheduler::crons::post'], conditions },
    { actions: ['bi::dashboards::get', 'contact-service::offers::get'] },
  )
  const post = (cells: string[] | undefined, write = (instruction: object): unknown => instruction) =>
    limited.post(crons, { ...reportCron({}), instruction: write(instructionFor(dashboard, cells && { cells })) })
  for (const write of [undefined, JSON.stringify]) {
    expect(await post(['free', 'secret'], write)).toMatchObject({ status: 403 })
    expect(await post(undefined, write)).toMatchObject({ status: 403 })
    expect(await post(['free'], write)).toMatchObject({ status: 201 })
  }
})

test('a report planned by an earlier release takes all cells', async () => {
  const dashboard = await dashboardOf(owner, byCity, peopleTable)
  const run = await endedRun(portal, owner, reportCron(instructionFor(dashboard)))
  const { rows } = await portal.parts.database.pool.query<{ settings: object }>(
    `SELECT settings FROM account_${owner.account}.reports ORDER BY id DESC LIMIT 1`,
  )
  expect(rows[0]?.settings).not.toHaveProperty('cells')
  expect(run).toMatchObject({ status: 'completed', processedRecords: 4 })
})
