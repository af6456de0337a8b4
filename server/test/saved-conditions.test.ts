import type { Dashboard } from '@portico/contract/dashboards'
import type { SavedFilter } from '@portico/contract/saved-filters'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memberWith, setConditions } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, newCron, runsOf } from '#test/resources/crons.ts'
import { dashboardsPath, definition, inAccounts, refused } from '#test/resources/dashboards.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'

// Calls that store something are checked with everything by which it selects contacts: the stages of saved filters that
// it names, and the window of a cron (ADR 0116).

let portal: TestPortal
let account: number
let owner: Member
/** May search with anything, but must not store stages with a salary. */
let limited: Member
let rich: SavedFilter
let harmless: SavedFilter

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  account = await portal.account()
  await addContacts(portal.parts.database, account, { City: 'string', Salary: 'number', Seen: 'date' }, [
    { City: 'Bern', Salary: 4711, Seen: '2026-11-20T10:00:00Z' },
  ])
  owner = await portal.member(account)
  limited = await storer(['body::instruction.aggregateQuery', 'body::aggregateQuery', 'body::definition'].map(noSalary))
  rich = await save(owner, salaries)
  harmless = await save(owner, ofBern)
})

const noSalary = (key: string): string => `${key}::nct::salary`
const reading = ['contact-service::offers::get', 'contact-service::exports::*', 'contact-service::rdls::get']
const storing = [
  'scheduler::crons::*',
  'scheduler::schedules::get',
  'contact-service::rdls::post',
  'contact-service::rdls::put',
  'bi::dashboards::*',
]
const storer = (conditions: string[]): Promise<Member> =>
  memberWith(portal, account, { actions: reading }, { actions: storing, conditions })

const rdls = '/contact-service/v1/rdls'
const salaries = [{ $match: { Salary: { $gte: 500 } } }]
const ofBern = [{ $match: { City: 'Bern' } }]
const naming = ({ _id }: SavedFilter) => [{ $predefined: _id }]
const filterOf = (stages: object[]) => ({ name: `F ${crypto.randomUUID()}`, aggregateQuery: JSON.stringify(stages) })
const notAllowed = refused(403, 'not_allowed')

async function save(by: Member, stages: object[]): Promise<SavedFilter> {
  const answer = await by.post(rdls, filterOf(stages))
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<SavedFilter>()
}

const change = (by: Member, { _id, name }: SavedFilter, stages: object[]): Promise<Answer> =>
  by.put(`${rdls}/${_id}`, { name, aggregateQuery: JSON.stringify(stages) })

const cronOf = (stages: object[], fields = ['City'], more: object = {}) =>
  newCron({
    instruction: exportDraft(fields, { aggregateQuery: JSON.stringify(stages), ...more }),
  })

const groups = [{ $group: { _id: '$City', count: { $sum: 1 } } }]
const chartOf = (stages: object[], predefined?: string) => ({
  type: 'Table',
  title: 'By city',
  filter: { standard: [...stages, ...groups], ...(predefined !== undefined && { predefined }) },
})
const dashboardOf = (chart: object) => ({
  name: `D ${crypto.randomUUID()}`,
  tags: ['goal'],
  sharedWith: inAccounts(account),
  definition: definition([{ id: 'a', cols: 12, chart }]),
})

type Stored = { path: string; of: (stages: object[]) => object; named: (filter: SavedFilter) => object }
const kinds: Record<string, Stored> = {
  'a cron': { path: crons, of: cronOf, named: (filter) => cronOf(naming(filter)) },
  'a saved filter': { path: rdls, of: filterOf, named: (filter) => filterOf(naming(filter)) },
  'a dashboard': {
    path: dashboardsPath,
    of: (stages) => dashboardOf(chartOf(stages)),
    named: ({ _id }) => dashboardOf(chartOf([], _id)),
  },
  'a dashboard by a stage': {
    path: dashboardsPath,
    of: (stages) => dashboardOf(chartOf(stages)),
    named: (filter) => dashboardOf(chartOf(naming(filter))),
  },
}

describe.each(Object.entries(kinds))('%s', (_name, { path, of, named }) => {
  test('cannot be saved with a saved filter that has forbidden stages, even nested in another one', async () => {
    expect(await limited.post(path, of(salaries))).toMatchObject(notAllowed)
    expect(await limited.post(path, named(rich))).toMatchObject(notAllowed)
    expect(await limited.post(path, named(await save(owner, naming(rich))))).toMatchObject(notAllowed)
    expect(await owner.post(path, named(rich))).toMatchObject({ status: 201 })
  })
})

describe.each(Object.entries(kinds).filter(([, { path }]) => path !== crons))('%s', (_name, { path, named }) => {
  test('cannot be changed to such a filter', async () => {
    const made = await limited.post(path, named(harmless))
    expect(made).toMatchObject({ status: 201 })
    const { _id } = made.json<{ _id: string }>()
    expect(await limited.put(`${path}/${_id}`, named(rich))).toMatchObject(notAllowed)
    expect(await limited.put(`${path}/${_id}`, named(harmless))).toMatchObject({ status: 200 })
  })
})

test('columns renamed by a saved filter are judged in a cron like those of its own stages', async () => {
  const columns = await storer([noSalary('body::instruction.exportFields')])
  const renaming = [{ $group: { _id: { City: '$Salary' } } }]
  expect(await columns.post(crons, cronOf(renaming))).toMatchObject(notAllowed)
  expect(await columns.post(crons, cronOf(naming(await save(owner, renaming))))).toMatchObject(notAllowed)
  expect(await columns.post(crons, cronOf(naming(harmless)))).toMatchObject({ status: 201 })
})

async function runNow(cron: string): Promise<void> {
  expect(await owner.post(`${crons}/${cron}/run`)).toMatchObject({ status: 202 })
  await runSchedulerOnce(portal.parts)
}

const stopped = (reason: string) =>
  expect.objectContaining({ status: 'terminated', comment: expect.stringContaining(reason) })

test('a cron has no runs once the saved filter that it names gets forbidden stages', async () => {
  const { _id, ...kept } = await addCron(limited, cronOf(naming(harmless)))
  const rename = (name: string) => limited.put(`${crons}/${_id}`, { ...kept, name, version: undefined })
  expect(await rename('Before')).toMatchObject({ status: 200 })
  expect(await change(owner, harmless, salaries)).toMatchObject({ status: 200 })
  // Saving it again is refused as well.
  expect(await rename('After')).toMatchObject(notAllowed)
  await runNow(_id)
  expect(await runsOf(owner, _id)).toContainEqual(stopped('may not save this schedule as it is'))
  expect((await owner.get(exportsPath)).body).toEqual([])
})

describe('an earlier version of a dashboard', () => {
  const restore = (id: string) => limited.post(`${dashboardsPath}/${id}/versions/1/restore`, {})
  const twoVersions = async (first: object): Promise<string> => {
    const { _id } = (await limited.post(dashboardsPath, dashboardOf(first))).json<Dashboard>()
    expect(await limited.put(`${dashboardsPath}/${_id}`, dashboardOf(chartOf([])))).toMatchObject({ status: 200 })
    return _id
  }

  test('cannot be restored with a saved filter that has got forbidden stages', async () => {
    const id = await twoVersions(chartOf([], harmless._id))
    expect(await change(owner, harmless, salaries)).toMatchObject({ status: 200 })
    expect(await restore(id)).toMatchObject(notAllowed)
    await change(owner, harmless, ofBern)
    expect(await restore(id)).toMatchObject({ status: 200 })
  })

  test('cannot be restored under a condition that would refuse to save it', async () => {
    const id = await twoVersions(chartOf(ofBern))
    await setConditions(portal, limited, ['body::definition::nct::Bern'])
    expect(await restore(id)).toMatchObject(notAllowed)
  })
})

test('the preview of a cell is judged like a dashboard that contains it', async () => {
  const viewer = await memberWith(portal, account, {
    actions: ['contact-service::offers::get', 'bi::dashboards::*'],
    conditions: [noSalary('body::definition')],
  })
  const preview = (chart: object) => viewer.post(`${dashboardsPath}/previews`, { chart })
  expect(await preview(chartOf(ofBern))).toMatchObject({ status: 200 })
  expect(await preview(chartOf(salaries))).toMatchObject(notAllowed)
  expect(await preview(chartOf([], rich._id))).toMatchObject(notAllowed)
})

describe('the window of a scheduled export', () => {
  const noSeen = (key: string): string => `${key}::nct::seen`
  const windowed = cronOf([], ['City'], { aggregateQuery: undefined, dateField: 'Seen', offset: '7' })

  test.each([
    ['of the cron', [noSeen('body::instruction.aggregateQuery')], []],
    ['of the export', [], [noSeen('body::aggregateQuery')]],
  ])('is judged like the stages that it adds, by conditions %s', async (_of, ofCrons, ofExports) => {
    const exporter = await memberWith(
      portal,
      account,
      { actions: ['contact-service::exports::*'], conditions: ofExports },
      { actions: ['scheduler::crons::*'], conditions: ofCrons },
    )
    expect(await exporter.post(crons, windowed)).toMatchObject(notAllowed)
    expect(await exporter.post(crons, cronOf(ofBern, ['City'], { offset: '7' }))).toMatchObject({ status: 201 })
    expect(await owner.post(crons, { ...windowed, name: 'Of the owner' })).toMatchObject({ status: 201 })
  })

  test('stops its runs once a condition forbids its field', async () => {
    const exporter = await memberWith(portal, account, { actions: [...reading, ...storing] })
    const { _id } = await addCron(exporter, windowed)
    await setConditions(portal, exporter, [noSeen('body::aggregateQuery')])
    await runNow(_id)
    expect(await runsOf(owner, _id)).toContainEqual(stopped('may not export contacts'))
    expect((await owner.get(exportsPath)).body).toEqual([])
  })
})
