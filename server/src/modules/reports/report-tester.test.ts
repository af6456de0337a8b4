import type { Cron } from '@portico/contract/scheduler/crons'
import type { Dashboard } from '@portico/contract/dashboards'
import { dashboardUrlOf } from '@portico/contract/scheduler/instructions'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { actingHolder } from '#credentials'
import { openCells } from '#dashboards'
import { linkOf } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons } from '#test/resources/crons.ts'
import { addIdentity, createDashboard, definition, inAccounts, saveDashboard } from '#test/resources/dashboards.ts'
import type { MailServer } from '#test/stand-ins/mail-server.ts'
import type { Client, Member, TestPortal } from '#test/kit/portal.ts'
import {
  byCity,
  dashboardOf,
  instructionFor,
  peopleTable,
  reportCron,
  type Reporting,
  startReporting,
  uploadTo,
} from '#test/resources/reports.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'
import type { SftpServer } from '#test/stand-ins/sftp-server.ts'
import { testCells } from './report-cells-test.service.ts'

// Tests of a report before it is saved: its server, its email, and the rows of its tables and charts.

let reporting: Reporting
let portal: TestPortal
let mail: MailServer
let sftp: SftpServer
let owner: Member
let dashboard: Dashboard

beforeAll(async () => {
  reporting = await startReporting({ mailDailyLimit: 3 })
  ;({ portal, mail, sftp } = reporting)
  owner = await portal.member(await portal.account())
  await addContacts(portal.parts.database, owner.account, { Name: 'string', City: 'string', Joined: 'date' }, [
    { Name: 'Ada', City: 'Bern', Joined: new Date(Date.now() - 3 * 86_400_000).toISOString() },
    { Name: 'Bob', City: 'Lyon', Joined: '2020-01-01T00:00:00Z' },
    { Name: 'Cleo', City: 'Bern', Joined: '2020-01-01T00:00:00Z' },
  ])
  dashboard = await createDashboard(owner, {
    sharedWith: inAccounts(owner.account),
    definition: definition([
      { id: 'cities', cols: 6, chart: byCity },
      { id: 'people', cols: 6, chart: peopleTable },
    ]),
  })
})
afterAll(() => reporting.close())

const notification = {
  from: 'reports@example.com',
  fromName: 'Reports',
  subject: 'Report {{reportName}}',
  bodyHtml: '<p>{{reportName}}: {{url}}</p>',
}
const refusal = (status: number, ...fields: string[]) => ({
  status,
  body: { error: fields.length > 0 ? { details: fields.map((field) => ({ field })) } : {} },
})
/** Tests a new or changed cron. */
const tryOut = (by: Client, part: string, draft: object, id?: string) =>
  by.post(`${crons}${id === undefined ? '' : `/${id}`}/tests/${part}`, draft)
const draftOf = (changes: Record<string, unknown> = {}, transfer: object = {}, of = dashboard) =>
  reportCron(instructionFor(of, changes), { ...transfer })
const rights = ['scheduler::crons::get', 'scheduler::crons::post', 'scheduler::crons::put'] as const
const reading = ['bi::dashboards::get', 'contact-service::offers::get'] as const

describe('the SFTP server', () => {
  test('is contacted without leaving files there, even if the rest of the form is unfinished', async () => {
    const draft = { ...draftOf({ download: { fileName: '' }, notification: { from: 'x' } }, uploadTo(sftp)), name: '' }
    expect(await tryOut(owner, 'transfer', draft)).toMatchObject({ status: 200, body: { isOk: true } })
    expect([...sftp.files.keys()]).toEqual([])
    const wrong = await tryOut(owner, 'transfer', { ...draft, ftpPass: 'wrong' })
    expect(wrong).toMatchObject({ status: 200, body: { isOk: false } })
    expect(JSON.stringify(wrong.body)).not.toContain('"wrong"')
    expect(await tryOut(owner, 'transfer', { ...draft, ftpHost: '', ftpPass: '' })).toMatchObject(
      refusal(400, 'ftpHost', 'ftpPass'),
    )
    expect(await tryOut(owner, 'transfer', draftOf())).toMatchObject(refusal(400, 'transferProtocol'))
  })

  test('gets its stored password, which is not used for any other server, user or cron', async () => {
    const cron = await addCron(owner, draftOf({}, uploadTo(sftp)))
    const kept = { ...cron, ftpPass: '' }
    expect(await tryOut(owner, 'transfer', kept, cron._id)).toMatchObject({ body: { isOk: true } })
    const before = sftp.tried.length
    for (const change of [{ ftpHost: 'localhost' }, { ftpPort: sftp.port + 1 }, { ftpUser: 'eve' }]) {
      expect(await tryOut(owner, 'transfer', { ...kept, ...change }, cron._id)).toMatchObject(refusal(400, 'ftpPass'))
    }
    expect(await tryOut(owner, 'transfer', kept)).toMatchObject(refusal(400, 'ftpPass'))
    expect(sftp.tried).toHaveLength(before)
    const other = await portal.member(await portal.account())
    expect(await tryOut(other, 'transfer', kept, cron._id)).toMatchObject(refusal(404))
    const maker = await portal.member(owner.account, 'scheduler::crons::post', ...reading)
    expect(await tryOut(maker, 'transfer', kept, cron._id)).toMatchObject(refusal(403))
  })
})

describe('the email', () => {
  test('goes only to the caller, looks as it does for recipients, and counts toward the limit', async () => {
    const draft = { ...draftOf({ notification }), name: 'Weekly', notificationEmails: 'ann@example.com' }
    const tested = await tryOut(owner, 'email', draft)
    expect(tested).toMatchObject({ status: 200, body: { isOk: true } })
    const received = mail.received.filter(({ message }) => message.subject === 'Report Weekly')
    expect(received.map(({ recipients }) => recipients)).toEqual([[owner.email]])
    expect(received[0]?.message.html).toContain(`Weekly: ${portal.config.publicUrl}/downloads?account=${owner.account}`)
    for (const _ of [2, 3]) expect(await tryOut(owner, 'email', draft)).toMatchObject({ body: { isOk: true } })
    expect(await tryOut(owner, 'email', draft)).toMatchObject({
      status: 200,
      body: { isOk: false, message: expect.stringContaining('3 emails a day') },
    })
    expect(mail.received.filter(({ message }) => message.subject === 'Report Weekly')).toHaveLength(3)
  })

  test('requires a verified sender, and texts that can be filled', async () => {
    const withSettings = (changes: object) => draftOf({ notification: { ...notification, ...changes } })
    for (const [changes, field] of [
      [{ from: '' }, 'from'],
      [{ from: 'boss@other.example' }, 'from'],
      [{ subject: '{{nothing}}' }, 'subject'],
      [{ subject: '' }, 'subject'],
    ] as const) {
      const refused = refusal(400, `instruction.notification.${field}`)
      expect(await tryOut(owner, 'email', withSettings(changes))).toMatchObject(refused)
    }
    expect(await tryOut(owner, 'email', draftOf())).toMatchObject(refusal(400, 'instruction.notification'))
  })
})

describe('the tables and charts', () => {
  const cities = { id: 'cities', title: 'By city', rows: 2, error: null }
  const people = { id: 'people', title: 'People', rows: 3, error: null }

  test('are counted as in a run now: all or the chosen ones, in its window and its saved filter', async () => {
    expect(await tryOut(owner, 'cells', draftOf())).toMatchObject({
      status: 200,
      body: {
        isOk: true,
        message: 'A run now would have 5 rows from 2 tables and charts.',
        cells: [cities, people],
      },
    })
    expect((await tryOut(owner, 'cells', draftOf({ cells: ['people'] }))).body).toMatchObject({ cells: [people] })
    const days = { datePickerType: 'month', defaultId: '29', maxRange: 31, portico: { dateField: 'Joined' } }
    const dated = await dashboardOf(owner, { type: 'DatePicker', title: 'When', ...days }, peopleTable)
    const counted = async (changes: object) =>
      (await tryOut(owner, 'cells', draftOf({ ...changes }, {}, dated))).json<{ cells: { rows: number }[] }>().cells
    expect(await counted({ offset: '7' })).toMatchObject([{ rows: 1 }])
    const saved = await owner.post('/contact-service/v1/rdls', {
      name: 'Of Lyon',
      aggregateQuery: JSON.stringify([{ $match: { City: 'Lyon' } }]),
    })
    const { _id: rdl } = saved.json<{ _id: string }>()
    expect(await counted({ offset: '7', rdl })).toMatchObject([{ rows: 0 }])
    expect(await tryOut(owner, 'cells', draftOf({ rdl: 'none' }))).toMatchObject(refusal(400, 'instruction.rdl'))
    expect(await tryOut(owner, 'cells', draftOf({ offset: '94' }))).toMatchObject(refusal(400, 'instruction.offset'))
  })

  test('that fail or are gone are named, and the others counted', async () => {
    const broken = {
      ...byCity,
      title: 'Broken',
      filter: { standard: [{ $group: { _id: '$Nowhere', n: { $count: {} } } }] },
    }
    const failing = await dashboardOf(owner, broken, peopleTable)
    expect((await tryOut(owner, 'cells', draftOf({}, {}, failing))).body).toMatchObject({
      isOk: false,
      message: '1 of 2 tables and charts failed. A run that fails sends nothing.',
      cells: [{ title: 'Broken', rows: null, error: expect.stringContaining('Nowhere') }, { rows: 3 }],
    })
    const cron = await addCron(owner, draftOf({ cells: ['cell0', 'cell1'] }, {}, failing))
    await saveDashboard(owner, failing._id, { definition: definition([{ id: 'cell1', cols: 12, chart: peopleTable }]) })
    const note = '1 of the 2 chosen tables and charts is no longer on the dashboard and was left out.'
    expect((await tryOut(owner, 'cells', cron, cron._id)).body).toMatchObject({
      isOk: true,
      message: `A run now would have 3 rows from 1 table or chart. ${note}`,
    })
    const chosen = draftOf({ cells: ['none'] }, {}, failing)
    expect((await tryOut(owner, 'cells', chosen)).body).toMatchObject({
      isOk: false,
      message: 'None of the chosen tables and charts is on the dashboard any more. Choose others.',
      cells: [],
    })
  })

  test('have the rows of the one identity that the cron acts as, and are neither stored nor delivered', async () => {
    const ofBern = [{ $match: { City: 'Bern' } }]
    const restricted = await restrictedMember(portal, owner.account, ofBern)
    const { pool } = portal.parts.database
    const count = async () =>
      (await pool.query(`SELECT count(*)::int AS n FROM account_${owner.account}.reports`)).rows as unknown[]
    const reports = () => mail.received.filter(({ message }) => message.subject?.startsWith('Report'))
    const before = [await count(), reports().length, sftp.files.size]
    const countedBy = async (by: Client) =>
      (await tryOut(by, 'cells', draftOf({ notification }, uploadTo(sftp)))).json<{ cells: unknown }>().cells
    const some = [{ rows: 1 }, { rows: 2 }]
    expect(await countedBy(restricted)).toMatchObject(some)
    expect(await countedBy(portal.holder(await linkOf(restricted)))).toMatchObject(some)
    // By the right of the user who saved the dashboard, as viewers read it.
    const viewer = await restrictedMember(portal, owner.account, ofBern, [...rights, 'bi::dashboards::get'])
    expect(await countedBy(viewer)).toMatchObject(some)
    // Another identity of the same person that sees all contacts does not extend the rights of the cron's identity.
    const parent = await portal.account()
    await pool.query('UPDATE portico.accounts SET parent_id = $2 WHERE id = $1', [owner.account, parent])
    await addIdentity(portal, restricted, parent, { withSubAccounts: true })
    expect((await restricted.get('/contact-service/v1/offers?count=')).body).toEqual({ count: 3 })
    expect(await countedBy(restricted)).toMatchObject(some)
    expect([await count(), reports().length, sftp.files.size]).toEqual(before)
  })
})

test('the count stops at its time limit, and leaves out what it did not reach', async () => {
  const { database } = portal.parts
  const { _id } = await addCron(owner, draftOf())
  const { rows } = await database.pool.query<{ holder: string }>('SELECT holder FROM portico.crons WHERE id = $1', [
    _id,
  ])
  const acting = await actingHolder(database.pool, owner.account, rows[0]?.holder ?? '')
  if (!('caller' in acting)) throw new Error('The owner may act.')
  const { caller } = acting
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query(`LOCK TABLE account_${owner.account}.contacts IN ACCESS EXCLUSIVE MODE`)
  const from = Date.now()
  const result = await testCells(
    { cells: openCells(database), mostSeconds: 1 },
    {
      db: database.db,
      account: owner.account,
      caller,
      callerNow: () => Promise.resolve(caller),
      acting: caller,
      actor: { actor: owner.email, address: null },
      signal: new AbortController().signal,
    },
    { url: dashboardUrlOf(dashboard._id), window: null },
  )
  await holder.end()
  expect(Date.now() - from).toBeLessThan(10_000)
  const error = 'The test ended after 1 s. A report takes the time that it needs.'
  expect(result).toMatchObject({ isOk: false, cells: [{ title: 'By city', rows: null, error }, { error }] })
})

test('every part requires the right to save the cron, and to see its dashboard', async () => {
  const draft = draftOf({ notification }, uploadTo(sftp))
  const cron: Cron = await addCron(owner, draft)
  const without = await portal.member(owner.account, 'scheduler::crons::get', ...reading)
  const blind = await portal.member(owner.account, ...rights)
  const elsewhere = await portal.member(await portal.account())
  const hidden = draftOf({ notification }, uploadTo(sftp), await dashboardOf(owner, byCity))
  const stranger = await portal.member(owner.account, ...rights, ...reading)
  for (const part of ['transfer', 'email', 'cells']) {
    for (const by of [without, blind]) {
      expect(await tryOut(by, part, draft)).toMatchObject(refusal(403))
      expect(await tryOut(by, part, draft, cron._id)).toMatchObject(refusal(403))
    }
    expect(await tryOut(elsewhere, part, draft)).toMatchObject(refusal(403))
    expect(await tryOut(elsewhere, part, draft, cron._id)).toMatchObject(refusal(404))
    expect(await tryOut(stranger, part, hidden)).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('no longer shared') } },
    })
    expect(await tryOut(owner, part, { ...draft, consumerCode: 'EXPORT' })).toMatchObject(refusal(400, 'consumerCode'))
  }
  expect(await tryOut(owner, 'everything', draft)).toMatchObject({ status: 400 })
})
