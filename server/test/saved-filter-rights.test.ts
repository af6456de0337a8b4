import type { Dashboard } from '@portico/contract/dashboards'
import type { Action } from '@portico/contract/route'
import type { SavedFilter } from '@portico/contract/saved-filters'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runExport } from '#exports'
import { byProgram, identityOf, memberWith, reachSubAccounts, setConditions } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, makeDue, newCron } from '#test/resources/crons.ts'
import {
  createDashboard,
  dashboardsPath,
  definition,
  inAccounts,
  refused,
  removeIdentity,
} from '#test/resources/dashboards.ts'
import { createExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import {
  byCity,
  dueAt,
  endedRun,
  endOfFirstRun,
  fileOf,
  instructionFor,
  reportCron,
  startReporting,
  type Reporting,
} from '#test/resources/reports.ts'
import { setRowRule } from '#test/resources/row-rules.ts'

// Work of others that uses a saved filter shows no more than the person who saved the filter may search for.

let reporting: Reporting
let portal: TestPortal
let account: number
/** Power user: the author of dashboards and crons. */
let owner: Member
/** Sees dashboards and may save filters, but sees no contacts. */
let keeper: Member

beforeAll(async () => {
  reporting = await startReporting()
  portal = reporting.portal
})
afterAll(() => reporting.close())
beforeEach(async () => {
  account = await portal.account(undefined, await portal.account())
  await fill(account)
  owner = await portal.member(account)
  keeper = await portal.member(account, ...keeping)
})

const keeping: Action[] = [
  'bi::dashboards::get',
  'contact-service::rdls::*',
  'contact-service::downloads::get',
  'scheduler::crons::*',
  'scheduler::schedules::get',
]

const fill = (filled: number) =>
  addContacts(portal.parts.database, filled, { City: 'string', Note: 'string', Salary: 'number' }, [
    { City: 'Bern', Note: 'secret one', Salary: 4711 },
    { City: 'Bern', Note: 'secret two', Salary: 12 },
    { City: 'Lyon', Note: 'secret three', Salary: 13 },
  ])

const rdls = '/contact-service/v1/rdls'
const text = (stages: object[]) => JSON.stringify(stages)
const ofBern = [{ $match: { City: 'Bern' } }]
const notes = [{ $addFields: { City: '$Note' } }]

async function save(by: Member, stages: object[] = ofBern, more: object = {}): Promise<SavedFilter> {
  const answer = await by.post(rdls, { name: `F ${crypto.randomUUID()}`, aggregateQuery: text(stages), ...more })
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<SavedFilter>()
}

const change = (by: Member, { _id, name, showInSubaccounts }: SavedFilter, stages: object[]): Promise<Answer> =>
  by.put(`${rdls}/${_id}`, { name, showInSubaccounts, aggregateQuery: text(stages) })

const cellOf = (by: Member, { _id, version }: Dashboard): Promise<Answer> =>
  by.post(`${dashboardsPath}/${_id}/cells/a`, { version, refresh: true })

const shared = (by: Member, chart: object, ...aids: number[]): Promise<Dashboard> =>
  createDashboard(by, {
    sharedWith: inAccounts(...aids),
    definition: definition([{ id: 'a', cols: 12, chart }]),
  })

const withFilter = ({ _id }: SavedFilter) => ({ ...byCity, filter: { ...byCity.filter, predefined: _id } })

const cities = (rows: [string, number][]) => ({
  status: 200,
  body: { rows: rows.map(([_id, count]) => ({ _id, count })) },
})
const unusable = (reason: string) => refused(422, 'cell_failed', { message: expect.stringContaining(reason) as string })

describe('people who may not search', () => {
  test.each([
    ['nothing at all', keeping, []],
    ['this field', [...keeping, 'contact-service::offers::get'], ['query::find::nct::salary']],
  ])('cannot save or change a filter: %s', async (_what, actions, conditions) => {
    const limited = await memberWith(portal, account, { actions, conditions })
    const stages = [{ $match: { Salary: { $gte: 1 } } }]
    const draft = { name: 'Well paid', aggregateQuery: text(stages) }
    expect(await limited.post(rdls, draft)).toMatchObject(refused(403, 'not_allowed'))
    const known = await save(owner)
    expect(await change(limited, known, stages)).toMatchObject(refused(403, 'not_allowed'))
    expect((await owner.get(`${rdls}/${known._id}`)).body).toMatchObject({ version: 1 })
  })
})

describe('a cell read by the right of its author', () => {
  test('uses filter changes by persons who may search for all that it shows', async () => {
    const saved = await save(owner)
    const dashboard = await shared(owner, withFilter(saved), account)
    expect(await cellOf(keeper, dashboard)).toMatchObject(cities([['Bern', 2]]))
    const equal = await memberWith(portal, account, { actions: [...keeping, 'contact-service::offers::get'] })
    expect(await change(equal, saved, [{ $match: { City: 'Lyon' } }])).toMatchObject({ status: 200 })
    expect(await cellOf(keeper, dashboard)).toMatchObject(cities([['Lyon', 1]]))
    await removeIdentity(portal, equal)
    expect(await cellOf(keeper, dashboard)).toMatchObject(unusable('no longer has access'))
    // By their own right, independently of others.
    expect(await cellOf(owner, dashboard)).toMatchObject(cities([['Lyon', 1]]))
    expect(await change(owner, saved, ofBern)).toMatchObject({ status: 200 })
    expect(await cellOf(keeper, dashboard)).toMatchObject(cities([['Bern', 2]]))
  })

  test('shows nothing if the filter was changed by a person with fewer rights than the cell needs', async () => {
    const salaries = { filter: { standard: [{ $group: { _id: '$City', paid: { $sum: '$Salary' } } }] } }
    const saved = await save(owner)
    const chart = { ...byCity, filter: { ...salaries.filter, predefined: saved._id } }
    const dashboard = await shared(owner, chart, account)
    expect(await cellOf(keeper, dashboard)).toMatchObject({ status: 200 })
    const limited = await memberWith(portal, account, {
      actions: [...keeping, 'contact-service::offers::get'],
      conditions: ['query::find::nct::salary'],
    })
    expect(await change(limited, saved, [{ $match: { Note: 'secret one' } }])).toMatchObject({ status: 200 })
    expect(await cellOf(limited, dashboard)).toMatchObject(unusable('may not search for all'))
    expect(await cellOf(keeper, dashboard)).toMatchObject(unusable('may not search for all'))
  })

  test('shows nothing if the person who saved the filter sees only some contacts', async () => {
    const saved = await save(owner)
    const dashboard = await shared(owner, withFilter(saved), account)
    const ofLyon = await memberWith(portal, account, { actions: [...keeping, 'contact-service::offers::get'] })
    await setRowRule(portal, await identityOf(portal, ofLyon), [{ $match: { City: 'Lyon' } }])
    expect(await change(ofLyon, saved, notes)).toMatchObject({ status: 200 })
    expect(await cellOf(keeper, dashboard)).toMatchObject(unusable('sees only some'))
  })

  test('with a filter changed by an API credential ends with the credential', async () => {
    const saved = await save(owner)
    const dashboard = await shared(owner, withFilter(saved), account)
    const program = await byProgram(portal, owner)
    expect(await change(program, saved, notes)).toMatchObject({ status: 200 })
    expect(await cellOf(keeper, dashboard)).toMatchObject({ status: 200 })
    await portal.parts.database.pool.query('DELETE FROM portico.api_credentials WHERE access_key = $1', [
      program.accessKey,
    ])
    const ended = unusable('API credential')
    for (const by of [keeper, owner]) expect(await cellOf(by, dashboard)).toMatchObject(ended)
  })

  test('with a filter within another one requires both savers to have the rights', async () => {
    const inner = await save(owner)
    const outer = await save(owner, [{ $predefined: inner._id }])
    const dashboard = await shared(owner, withFilter(outer), account)
    const passing = await memberWith(portal, account, { actions: ['*::*::*'] })
    expect(await change(passing, inner, notes)).toMatchObject({ status: 200 })
    expect(await cellOf(keeper, dashboard)).toMatchObject({ status: 200 })
    await setConditions(portal, passing, ['query::find::nct::note'])
    expect(await cellOf(keeper, dashboard)).toMatchObject(unusable('may not search with it'))
  })

  test('with a filter of the parent account requires a right to the contacts of this account', async () => {
    const { rows } = await portal.parts.database.pool.query<{ parent_id: number }>(
      'SELECT parent_id FROM portico.accounts WHERE id = $1',
      [account],
    )
    const above = rows[0]?.parent_id ?? 0
    await fill(above)
    const parent = await portal.member(above)
    const saved = await save(parent, ofBern, { showInSubaccounts: true })
    const dashboard = await shared(owner, withFilter(saved), account)
    expect(await cellOf(keeper, dashboard)).toMatchObject(unusable('has no right to that here'))
    // Callers who may run the query themselves can use it like any filter.
    expect(await cellOf(owner, dashboard)).toMatchObject(cities([['Bern', 2]]))
    await reachSubAccounts(portal, parent)
    expect(await cellOf(keeper, dashboard)).toMatchObject(cities([['Bern', 2]]))
  })
})

describe('a report', () => {
  const runOf = (by: Member, dashboard: Dashboard, changes: object = {}) =>
    endedRun(portal, by, reportCron(instructionFor(dashboard, { ...changes })))

  test('can use a saved filter only for persons who may search for all that it shows', async () => {
    const dashboard = await shared(owner, byCity, account)
    const saved = await save(owner)
    expect((await fileOf(portal, keeper, await runOf(keeper, dashboard))).text).toContain('Lyon,1')
    const named = reportCron(instructionFor(dashboard, { rdl: saved._id }))
    expect(await keeper.post(crons, named)).toMatchObject(refused(403, 'not_allowed'))
    const own = await runOf(owner, dashboard, { rdl: saved._id })
    expect((await fileOf(portal, owner, own)).text).toBe('City,count\r\nBern,2\r\n')
    const limited = await memberWith(portal, account, {
      actions: [...keeping, 'contact-service::offers::get'],
      conditions: ['query::find::nct::salary'],
    })
    const paid = { ...byCity, filter: { standard: [{ $group: { _id: '$City', paid: { $sum: '$Salary' } } }] } }
    const guess = await save(limited, [{ $match: { Note: 'secret one' } }])
    const guessing = instructionFor(await shared(owner, paid, account), { rdl: guess._id })
    const message = expect.stringContaining('saved filter') as string
    expect(await limited.post(crons, reportCron(guessing))).toMatchObject(refused(403, 'not_allowed', { message }))
  })

  test('shows nothing to others if the filter was changed by a person with fewer rights', async () => {
    const dashboard = await shared(
      owner,
      { ...byCity, filter: { standard: [{ $group: { _id: '$City', paid: { $sum: '$Salary' } } }] } },
      account,
    )
    const saved = await save(owner)
    const limited = await memberWith(portal, account, {
      actions: [...keeping, 'contact-service::offers::get'],
      conditions: ['query::find::nct::salary'],
    })
    const draft = reportCron(instructionFor(dashboard, { rdl: saved._id }))
    const cron = await addCron(owner, draft)
    expect(await change(limited, saved, [{ $match: { Note: 'secret one' } }])).toMatchObject({ status: 200 })
    const message = expect.stringContaining('may not search for all') as string
    await makeDue(portal, cron._id, dueAt)
    expect(await endOfFirstRun(owner, cron._id)).toMatchObject({ status: 'terminated', comment: message })
    expect(await owner.post(crons, { ...draft, name: 'Another' })).toMatchObject(
      refused(403, 'not_allowed', { message }),
    )
  })
})

describe('an export', () => {
  // Without a worker, which could run the export before its filter is changed.
  beforeAll(async () => {
    portal = await startPortal()
  })
  afterAll(async () => {
    await portal.close()
    portal = reporting.portal
  })

  const named = ({ _id }: SavedFilter) => exportDraft(['City'], { aggregateQuery: text([{ $predefined: _id }]) })

  test('contains nothing if the filter was changed by a person with fewer rights', async () => {
    const saved = await save(owner)
    const limited = await memberWith(portal, account, {
      actions: [...keeping, 'contact-service::offers::get'],
      conditions: ['query::select::nct::city'],
    })
    const { _id } = await createExport(owner, named(saved))
    expect(await change(limited, saved, [{ $match: { Note: 'secret one' } }])).toMatchObject({ status: 200 })
    await runExport(portal.parts, account, _id, new AbortController().signal)
    expect(await readExport(owner, _id)).toMatchObject({
      status: 'rejected',
      recoveryError: expect.stringContaining('may not search for all') as string,
    })
    expect(await owner.post(exportsPath, named(saved))).toMatchObject(refused(403, 'not_allowed'))
    expect(await owner.post(crons, newCron({ instruction: named(saved) }))).toMatchObject(refused(403, 'not_allowed'))
  })
})
