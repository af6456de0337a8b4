import type { Dashboard } from '@portico/contract/dashboards'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findIdentity } from '#test/kit/administration.ts'
import {
  byProgram,
  farHours,
  grant,
  identityOf,
  limit,
  memberWith,
  setConditions,
  type TestPolicy,
} from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, makeDue } from '#test/resources/crons.ts'
import {
  addIdentity,
  createDashboard,
  dashboardsPath as path,
  definition,
  draftOf,
  inAccounts,
  pie,
  refused,
  removeIdentity,
  saveDashboard,
} from '#test/resources/dashboards.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { dueAt, endedRun, endOfFirstRun, instructionFor, reportCron } from '#test/resources/reports.ts'

// A dashboard is saved, and its cells are shown, with the rights of one identity: that of the session or API credential
// that saved it.

let portal: TestPortal
/** Power user of the account. */
let owner: Member
/** May see dashboards, but no contacts. */
let viewer: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  const parent = await portal.account()
  owner = await memberIn(await portal.account(undefined, parent))
  viewer = await portal.member(owner.account, 'bi::dashboards::get')
})

/** A power user of the account, which has contacts with a salary. */
async function memberIn(account: number): Promise<Member> {
  const fields = { City: 'string', Salary: 'number', Raised: 'date' } as const
  await addContacts(portal.parts.database, account, fields, [{ City: 'Bern', Salary: 1, Raised: '2026-01-15' }])
  return portal.member(account)
}

const actions = ['bi::dashboards::*', 'contact-service::offers::get', 'contact-service::rdls::*', 'scheduler::*::*']
const noSalaries: TestPolicy = { actions, conditions: ['query::find::nct::salary', 'query::select::nct::salary'] }

const options = { colors: ['#1971c2'] }
const group = (field: string) => ({ standard: [{ $group: { _id: `$${field}`, n: { $sum: 1 } } }] })
const salaries = { ...pie('Salaries'), filter: group('Salary') }
const cities = { ...pie('Cities'), filter: group('City') }
const cellsOf = (...charts: object[]) => definition(charts.map((chart, at) => ({ id: `c${at}`, cols: 12, chart })))
const shown = (by: Member, ...charts: object[]) => ({
  definition: cellsOf(...charts),
  sharedWith: inAccounts(by.account),
})

const ask = (by: Client, { _id, version }: Dashboard, cell = 'c0'): Promise<Answer> =>
  by.post(`${path}/${_id}/cells/${cell}`, { version })

/** Gives the person a second identity with all rights, by which they can also enter the account. */
const addPowerfulIdentity = async (member: Member): Promise<number> => {
  const { rows } = await portal.parts.database.pool.query<{ parent_id: number }>(
    'SELECT parent_id FROM portico.accounts WHERE id = $1',
    [member.account],
  )
  const parent = rows[0]?.parent_id ?? 0
  await addIdentity(portal, member, parent, { withSubAccounts: true })
  return parent
}

const ofAuthor = refused(422, 'cell_failed', { message: 'The author may not read contacts of this account.' })

describe('an API credential whose policy has a condition', () => {
  let author: Member
  let credential: Member
  beforeEach(async () => {
    author = await memberWith(portal, owner.account, noSalaries)
    await addPowerfulIdentity(author)
    credential = await byProgram(portal, author)
  })

  test('is refused by the contact list, by the preview and when saving a dashboard', async () => {
    const aggregate = encodeURIComponent(JSON.stringify(group('Salary').standard))
    expect(await credential.get(`/contact-service/v1/offers?aggregate=${aggregate}`)).toMatchObject({ status: 403 })
    expect(await credential.post(`${path}/previews`, { chart: salaries })).toMatchObject(refused(422, 'cell_failed'))
    const answer = await credential.post(path, draftOf(credential, shown(owner, cities, salaries)))
    expect(answer).toMatchObject(refused(403, 'not_allowed'))
    expect(answer.json<{ error: { message: string } }>().error.message).toContain('"Salaries"')
    const { _id } = await createDashboard(credential, shown(owner, cities))
    expect(await saveDashboard(credential, _id, shown(owner, salaries))).toMatchObject(refused(403, 'not_allowed'))
    expect((await owner.get(`${path}/${_id}`)).body).toMatchObject({ version: 1 })
  })

  const ratio = { ...options, template: 'ratio-with-master-date-range' }
  test.each([
    [
      'a second filter',
      { type: 'KPI', filter: { standard: [] }, filter2: { standard: [{ $match: { Salary: 1 } }] }, options: ratio },
    ],
    ['a column', { type: 'PaginaTable', filter: { standard: [], columns: ['Salary'] } }],
    ['a condition', { type: 'KPI', filter: { standard: [{ $match: { Salary: { $gt: 1 } } }] }, options }],
    ['a list of values', { type: 'Dropdown', filter: group('Salary') }],
  ])('cannot save a cell with %s that its condition excludes', async (_what, chart) => {
    const draft = draftOf(credential, shown(owner, chart))
    expect(await credential.post(path, draft)).toMatchObject(refused(403, 'not_allowed'))
    expect(await owner.post(path, { ...draft })).toMatchObject({ status: 201 })
  })

  test('cannot save a cell with a saved filter that its condition excludes', async () => {
    const stages = JSON.stringify([{ $match: { Salary: { $gt: 0 } } }])
    const saved = await owner.post('/contact-service/v1/rdls', { name: 'Paid', aggregateQuery: stages })
    const predefined = saved.json<{ _id: string }>()._id
    const chart = { ...cities, filter: { ...group('City'), predefined } }
    const draft = draftOf(credential, shown(owner, chart))
    expect(await credential.post(path, draft)).toMatchObject(refused(403, 'not_allowed'))
  })

  test('cannot restore a version with cells that its condition excludes, even if a person saved it', async () => {
    const { _id } = await createDashboard(author, shown(owner, salaries))
    await saveDashboard(author, _id, shown(owner, cities))
    expect(await credential.post(`${path}/${_id}/versions/1/restore`)).toMatchObject(refused(403, 'not_allowed'))
    expect(await author.post(`${path}/${_id}/versions/1/restore`)).toMatchObject({ status: 200 })
  })

  test('shows others no cells of its dashboards after its policy is tightened', async () => {
    const dashboard = await createDashboard(credential, shown(owner, cities, { ...cities, title: 'More' }))
    expect(await ask(viewer, dashboard)).toMatchObject({ status: 200, body: { total: 1 } })
    await setConditions(portal, author, ['query::find::nct::City'])
    expect(await ask(viewer, dashboard)).toMatchObject(ofAuthor)
    expect(await ask(credential, dashboard)).toMatchObject(ofAuthor)
    // By their own right, in their own session.
    expect(await ask(author, dashboard)).toMatchObject({ status: 200 })
    expect(await ask(owner, dashboard)).toMatchObject({ status: 200 })
  })

  test('fails the reports of its dashboards after its policy is tightened', async () => {
    const reader = await portal.member(
      owner.account,
      'bi::dashboards::get',
      'scheduler::crons::post',
      'scheduler::crons::get',
      'scheduler::schedules::get',
    )
    const dashboard = await createDashboard(credential, shown(owner, cities))
    expect(await endedRun(portal, reader, reportCron(instructionFor(dashboard)))).toMatchObject({ status: 'completed' })
    const cron = await addCron(reader, reportCron(instructionFor(dashboard)))
    await setConditions(portal, author, ['query::find::nct::City'])
    const message = 'Cities: The author may not read contacts of this account.'
    await makeDue(portal, cron._id, dueAt)
    expect(await endOfFirstRun(reader, cron._id)).toMatchObject({ status: 'terminated', comment: message })
    expect(await reader.post(crons, reportCron(instructionFor(dashboard)))).toMatchObject(
      refused(403, 'not_allowed', { message }),
    )
  })
})

describe('a person with several identities', () => {
  let author: Member
  beforeEach(async () => {
    author = await memberWith(portal, owner.account, noSalaries)
  })

  test('saves with the first identity that can read all cells, and only that one shows them later', async () => {
    const parent = await addPowerfulIdentity(author)
    const dashboard = await createDashboard(author, shown(owner, cities, salaries))
    expect(await ask(viewer, dashboard, 'c1')).toMatchObject({ status: 200 })
    await removeIdentity(portal, { ...author, account: parent })
    expect(await ask(viewer, dashboard, 'c1')).toMatchObject(ofAuthor)
    // Their identity in the account could still read this cell, but it is not the identity that saved it.
    expect(await ask(viewer, dashboard, 'c0')).toMatchObject(ofAuthor)
    expect(await saveDashboard(author, dashboard._id, shown(owner, cities))).toMatchObject({ status: 200 })
    expect(await ask(viewer, { ...dashboard, version: 2 })).toMatchObject({ status: 200 })
  })

  test('cannot save cells that no single identity can read', async () => {
    const parent = await addPowerfulIdentity(author)
    const other = await identityOf(portal, { ...author, account: parent })
    const { pool } = portal.parts.database
    await pool.query('DELETE FROM portico.identity_groups WHERE identity_id = $1', [other])
    await grant(portal, other, { actions, conditions: ['query::find::nct::City'] })
    const answer = await author.post(path, draftOf(author, shown(owner, cities, salaries)))
    expect(answer).toMatchObject(refused(403, 'not_allowed'))
    expect(answer.json<{ error: { message: string } }>().error.message).toMatch(/^None of your identities/)
    expect(await author.post(path, draftOf(author, shown(owner, cities)))).toMatchObject({ status: 201 })
    expect(await author.post(path, draftOf(author, shown(owner, salaries)))).toMatchObject({ status: 201 })
  })

  test('cannot save with an identity outside its hours', async () => {
    const parent = await addPowerfulIdentity(author)
    const other = await identityOf(portal, { ...author, account: parent })
    await limit(portal, other, { hours: farHours(), hoursEffect: 'in' })
    const draft = draftOf(author, shown(owner, salaries))
    expect(await author.post(path, draft)).toMatchObject(refused(403, 'not_allowed'))
  })
})

describe('the identity that saved a dashboard', () => {
  test('shows its cells only in accounts that the identity opens', async () => {
    const other = await memberIn(await portal.account())
    await addIdentity(portal, owner, other.account)
    const sharedWith = inAccounts(owner.account, other.account)
    const dashboard = await createDashboard(owner, { definition: cellsOf(cities), sharedWith })
    const there = await portal.member(other.account, 'bi::dashboards::get')
    expect(await ask(viewer, dashboard)).toMatchObject({ status: 200 })
    expect(await ask(there, dashboard)).toMatchObject(ofAuthor)
    expect(await ask(other, dashboard)).toMatchObject({ status: 200 })
  })

  test('shows no cells after it is handed over to another person, even if they accept', async () => {
    const author = await portal.member(owner.account)
    const dashboard = await createDashboard(author, shown(owner, cities))
    expect(await ask(viewer, dashboard)).toMatchObject({ status: 200 })
    const heir = await portal.member(await portal.account())
    const identity = await findIdentity(owner, author.email)
    const draft = { email: heir.email, groups: identity?.groups.map(({ _id }) => _id) }
    expect((await owner.put(`/identity/v1/identities/${identity?._id}`, draft)).status).toBe(200)
    expect(await ask(viewer, dashboard)).toMatchObject(ofAuthor)
    expect((await heir.post(`/identity/v1/profile/invitations/${identity?._id}`)).status).toBe(204)
    expect(await ask(viewer, dashboard)).toMatchObject(ofAuthor)
    // Taking over changes the author, not the saved version.
    expect(await owner.post(`${path}/${dashboard._id}/author`)).toMatchObject({ status: 200 })
    expect(await ask(viewer, dashboard)).toMatchObject(ofAuthor)
    expect(await saveDashboard(owner, dashboard._id, shown(owner, cities))).toMatchObject({ status: 200 })
    expect(await ask(viewer, { ...dashboard, version: 2 })).toMatchObject({ status: 200 })
  })

  test('is required: without it, as in an earlier release, the author must save again', async () => {
    const dashboard = await createDashboard(owner, shown(owner, cities))
    await portal.parts.database.pool.query(
      'UPDATE portico.dashboard_versions SET holder = NULL WHERE dashboard_id = $1',
      [dashboard._id],
    )
    const message = 'It is not known with which rights this dashboard was saved. Its author has to save it again.'
    expect(await ask(viewer, dashboard)).toMatchObject(refused(422, 'cell_failed', { message }))
    expect(await ask(owner, dashboard)).toMatchObject({ status: 200 })
  })
})
