import type { CellAnswer } from '@portico/contract/dashboards'
import type { Cron } from '@portico/contract/scheduler/crons'
import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCron, crons, makeDue, runsOf, schedules } from '#test/resources/crons.ts'
import { createDashboard, definition, inAccounts, onlyFor, saveDashboard } from '#test/resources/dashboards.ts'
import { importFile } from '#test/resources/imports.ts'
import type { MailServer } from '#test/stand-ins/mail-server.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import {
  byCity,
  dashboardOf,
  dueAt,
  endedRun as endedRunOf,
  fileOf as reportFile,
  instructionFor,
  reportCron,
  year,
  type Reporting,
  startReporting,
  uploadTo,
} from '#test/resources/reports.ts'
import type { SftpServer } from '#test/stand-ins/sftp-server.ts'
import { unzipped } from '#test/kit/unzipped.ts'

// Scheduled reports, from the cron to their files, with the worker used in production.

let reporting: Reporting
let portal: TestPortal
let mail: MailServer
let sftp: SftpServer
let owner: Member

beforeAll(async () => {
  reporting = await startReporting()
  ;({ portal, mail, sftp } = reporting)
  owner = await portal.member(await portal.account())
  await importFile(
    portal,
    owner,
    `Name,City,Joined\n=Ada,Bern,${year}-09-30\nBob,Lyon,${year}-10-01\nCleo,Bern,${year}-10-31\n`,
    {
      typeCasting: true,
    },
  )
})
afterAll(() => reporting.close())

const table = {
  type: 'PaginaTable',
  title: 'People, all',
  filter: { standard: [{ $match: { City: { $exists: true } } }], columns: ['Name', 'City'], sort: { Name: 1 } },
}
const calculated = {
  type: 'CalculatedTable',
  title: 'By month',
  filter: {
    standard: [{ $group: { _id: { Month: { $month: '$Joined' } }, n: { $count: {} } } }, { $sort: { Month: 1 } }],
  },
  calculatedColumns: [{ name: 'Twice', expression: '{{n}} * 2', fix: 'post:: x', position: 'e' }],
}
const text = { type: 'Text', title: 'Words' }

const endedRun = (draft: ReturnType<typeof reportCron>, by = owner): Promise<ScheduleDetails> =>
  endedRunOf(portal, by, draft)
const fileOf = (run: ScheduleDetails, by = owner) => reportFile(portal, by, run)

describe('a file', () => {
  test('has the rows of every table and chart under its title, as the dashboard shows them', async () => {
    const dashboard = await dashboardOf(owner, byCity, text, table, calculated)
    const run = await endedRun(reportCron(instructionFor(dashboard)))
    const file = await fileOf(run)
    expect(file.text).toBe(
      [
        'By city',
        'City,count',
        'Bern,2',
        'Lyon,1',
        '',
        '"People, all"',
        'Name,City',
        "'=Ada,Bern",
        'Bob,Lyon',
        'Cleo,Bern',
        '',
        'By month',
        'Month,n,Twice',
        'September,1,2 x',
        'October,2,4 x',
        '',
      ].join('\r\n'),
    )
    expect(file.disposition).toContain(`report-${year}-11-01-0900.csv`)
    // Excel recognizes a comma-separated file as UTF-8 by its byte order mark.
    expect(file.bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
    expect(run).toMatchObject({ processedRecords: 7, job: { kind: 'report' } })
    const cell = await owner.post(`/contact-service/v1/dashboards/${dashboard._id}/cells/cell0`, { version: 1 })
    expect(cell.json<CellAnswer>().rows.map((row) => Object.values(row).join(','))).toEqual(['Bern,2', 'Lyon,1'])
    const downloads = await owner.get('/contact-service/v1/downloads?search=Cron')
    expect(downloads.body).toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'report', rows: 7 })]))
  })

  test('follows its delimiter and quotes, and several are sent as one archive', async () => {
    const dashboard = await dashboardOf(owner, byCity, table)
    const piped = await endedRun(reportCron(instructionFor(dashboard, {}, { delimiter: 'pipe', addQuotes: true })))
    const file = await fileOf(piped)
    expect(file.text.split('\r\n').slice(0, 3)).toEqual(['"By city"', '"City"|"count"', '"Bern"|"2"'])
    expect(file.disposition).toContain('.txt')
    expect(file.bytes.toString()).not.toContain('\uFEFF')
    const several = await endedRun(reportCron(instructionFor(dashboard, {}, { multipleFiles: true, delimiter: 'tab' })))
    const entries = await unzipped((await fileOf(several)).bytes)
    expect(Object.keys(entries)).toEqual(['report-By city.txt', 'report-People_ all.txt'])
    expect(entries['report-By city.txt']).toBe('City\tcount\r\nBern\t2\r\nLyon\t1\r\n')
    const alone = await endedRun(
      reportCron(instructionFor(await dashboardOf(owner, byCity), {}, { multipleFiles: true })),
    )
    expect((await fileOf(alone)).disposition).toContain('.zip')
    expect(await unzipped((await fileOf(alone)).bytes)).toEqual({
      'report-By city.csv': '\uFEFFCity,count\r\nBern,2\r\nLyon,1\r\n',
    })
    const zipped = await endedRun(reportCron(instructionFor(dashboard, {}, { zipped: true })))
    expect(Object.keys(await unzipped((await fileOf(zipped)).bytes))).toEqual(['report.csv'])
  })

  test('applies its window like a date picker, and a saved filter to every cell', async () => {
    const picker = {
      type: 'DatePicker',
      title: 'When',
      datePickerType: 'month',
      defaultId: '29',
      maxRange: 31,
      portico: { dateField: 'Joined' },
    }
    const dashboard = await dashboardOf(owner, picker, byCity)
    const october = await fileOf(await endedRun(reportCron(instructionFor(dashboard, { offset: 'LM' }))))
    expect(october.text).toBe('City,count\r\nBern,1\r\nLyon,1\r\n')
    const saved = await owner.post('/contact-service/v1/rdls', {
      name: `Of Bern ${Math.random()}`,
      aggregateQuery: JSON.stringify([{ $match: { City: 'Bern' } }]),
    })
    const { _id: rdl } = saved.json<{ _id: string }>()
    const ofBern = await fileOf(await endedRun(reportCron(instructionFor(dashboard, { offset: 'LM', rdl }))))
    expect(ofBern.text).toBe('City,count\r\nBern,1\r\n')
    // Without a date picker, the dates of events apply; these contacts have no events.
    const ofEvents = await endedRun(reportCron(instructionFor(await dashboardOf(owner, byCity), { offset: 'LM' })))
    expect((await fileOf(ofEvents)).text).toBe('City,count\r\n')
  })
})

test('a report has all groups, including those beyond what a screen shows', async () => {
  const other = await portal.member(await portal.account())
  const cities = Array.from({ length: 2500 }, (_, at) => `City ${at}`)
  await importFile(portal, other, `Name,City\n${cities.map((city) => `Ada,${city}`).join('\n')}\n`)
  const run = await endedRun(reportCron(instructionFor(await dashboardOf(other, byCity))), other)
  const lines = (await fileOf(run, other)).text.trim().split('\r\n')
  expect(lines).toHaveLength(2501)
  expect(new Set(lines).size).toBe(2501)
})

test('a deleted saved filter terminates the run', async () => {
  const saved = await owner.post('/contact-service/v1/rdls', {
    name: 'To be deleted',
    aggregateQuery: JSON.stringify([{ $match: { City: 'Bern' } }]),
  })
  const { _id: rdl } = saved.json<{ _id: string }>()
  const cron = await addCron(owner, reportCron(instructionFor(await dashboardOf(owner, byCity), { rdl })))
  expect((await owner.delete(`/contact-service/v1/rdls/${rdl}`)).status).toBeLessThan(300)
  await makeDue(portal, cron._id, dueAt)
  const status = async () => (await runsOf(owner, cron._id))[0]?.status
  await expect.poll(status, { timeout: 30_000 }).toBe('terminated')
  expect((await runsOf(owner, cron._id))[0]?.comment).toMatch(/filter/)
})

test('a dashboard without a table or a chart cannot have reports', async () => {
  const kpi = { type: 'KPI', title: 'Contacts', filter: { standard: [] }, options: { colors: ['#1971c2'] } }
  const reply = await owner.post(crons, reportCron(instructionFor(await dashboardOf(owner, kpi, text))))
  const details = [{ field: 'instruction.url', message: 'The dashboard has no table or chart.' }]
  expect(reply).toMatchObject({ status: 400, body: { error: { details } } })
})

describe('rights', () => {
  test('a cron requires a dashboard that the caller sees in this account', async () => {
    const other = await portal.member(await portal.account())
    const theirs = await dashboardOf(other, byCity)
    const reply = await owner.post(crons, reportCron(instructionFor(theirs)))
    expect(reply).toMatchObject({ status: 403 })
    expect(
      await owner.post(crons, reportCron({ ...instructionFor(theirs), url: 'https://example.com' })),
    ).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'instruction.url' }] } },
    })
    const mine = await dashboardOf(owner, byCity)
    const wrong = instructionFor(mine, { rdl: 'none' })
    expect(await owner.post(crons, reportCron(wrong))).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'instruction.rdl' }] } },
    })
  })

  test('a dashboard that is no longer shared, or was deleted, pauses the cron with the reason', async () => {
    const reader = await portal.member(
      owner.account,
      'scheduler::crons::post',
      'scheduler::schedules::get',
      'bi::dashboards::get',
    )
    const shared = await createDashboard(owner, {
      sharedWith: inAccounts(owner.account),
      definition: definition([{ id: 'a', cols: 12, chart: byCity }]),
    })
    const run = await endedRun(reportCron(instructionFor(shared)), reader)
    expect(run).toMatchObject({ status: 'completed', processedRecords: 2 })
    const cron = await addCron(reader, reportCron(instructionFor(shared)))
    await saveDashboard(owner, shared._id, {
      sharedWith: onlyFor(owner),
      definition: definition([{ id: 'a', cols: 12, chart: byCity }]),
    })
    await makeDue(portal, cron._id, dueAt)
    const state = async () => (await owner.get(`${crons}/${cron._id}`)).json<Cron>().paused
    await expect
      .poll(state, { timeout: 30_000 })
      .toMatchObject({ by: 'portico', reason: expect.stringContaining('dashboard') })
    expect(await reader.post(`${crons}/${cron._id}/resume`)).toMatchObject({ status: 403 })
  })
})

test('a failing cell fails the report with its title, and nothing is sent', async () => {
  const broken = {
    ...byCity,
    title: 'Broken',
    filter: { standard: [{ $group: { _id: '$Nowhere', n: { $count: {} } } }] },
  }
  const dashboard = await dashboardOf(owner, byCity, broken)
  const notification = { from: 'me@example.com', fromName: 'Me', subject: 'S', bodyHtml: '<p>x</p>' }
  const draft = reportCron(instructionFor(dashboard, { notification }), { notificationEmails: 'broken@example.com' })
  const run = await endedRun(draft)
  expect(run).toMatchObject({
    status: 'terminated',
    comment: expect.stringMatching(/^Broken: .*Nowhere/),
    fileUrl: null,
  })
  const received = () => mail.received.filter(({ recipients }) => recipients.includes('broken@example.com'))
  await expect.poll(() => received().length, { timeout: 30_000 }).toBe(1)
  expect(received()[0]?.message.subject).toBe('A scheduled report on Portico was not completed')
})

test('the email has the sender, filled texts and the file, and the server gets the same file under its name', async () => {
  const dashboard = await dashboardOf(owner, byCity)
  const notification = {
    from: 'reports@example.com',
    fromName: 'Reports',
    subject: 'Report {{reportName}}',
    bodyHtml: '<p>{{reportName}} of {{dueDate}}: {{url}}</p>',
    bodyText: '{{reportName}} of {{dueDate}}: {{url}}',
    attachFiles: true,
  }
  const draft = reportCron(instructionFor(dashboard, { notification }, { overwrite: true }), {
    name: `Bern <b>& co ${Date.now()}`,
    notificationEmails: 'ann@example.com, ben@example.com',
    ...uploadTo(sftp),
  })
  const run = await endedRun(draft)
  const received = () => mail.received.find(({ recipients }) => recipients.includes('ben@example.com'))
  await expect.poll(received, { timeout: 30_000 }).toBeDefined()
  const { message } = received() ?? {}
  expect(message?.from).toMatchObject({ address: 'reports@example.com', name: 'Reports' })
  expect(message?.subject).toBe(`Report ${draft.name}`)
  expect(message?.html).toContain('Bern &lt;b&gt;&amp; co')
  expect(message?.text).toContain(`of Nov 1, ${year}, 9:00 AM: `)
  expect(message?.text).toContain(`/downloads?account=${owner.account}`)
  expect(message?.attachments.map(({ filename }) => filename)).toEqual(['report.csv'])
  const details = async () => (await owner.get(`${schedules}/${run._id}`)).json<ScheduleDetails>()
  await expect.poll(async () => (await details()).fileTransferStatus, { timeout: 30_000 }).toBe('completed')
  expect((await details()).deliveries.map(({ kind }) => kind)).toEqual(['sftp', 'email'])
  expect([...sftp.files].map(([path, bytes]) => [path.replace(/^\/+/, ''), bytes.toString()])).toEqual([
    ['in/report.csv', '\uFEFFCity,count\r\nBern,2\r\nLyon,1\r\n'],
  ])
})

test('the password of a server is kept only for the same destination, and never shown', async () => {
  const dashboard = await dashboardOf(owner, byCity)
  const server = { transferProtocol: 'sftp', ftpHost: 'files.example.com', ftpFolder: 'in', ftpUser: 'me' }
  const draft = reportCron(instructionFor(dashboard), { ...server, ftpPass: 'hidden-text' })
  const required = [{ field: 'ftpPass', message: 'Value is required!' }]
  expect((await owner.post(crons, { ...draft, ftpPass: '' })).body).toMatchObject({ error: { details: required } })
  const cron = await addCron(owner, draft)
  expect(JSON.stringify(cron)).not.toContain('hidden-text')
  const kept = await owner.put(`${crons}/${cron._id}`, { ...cron, notificationEmails: 'x@example.com' })
  expect(kept).toMatchObject({ status: 200 })
  const moved = await owner.put(`${crons}/${cron._id}`, { ...kept.json<Cron>(), ftpHost: 'evil.example.com' })
  expect(moved.body).toMatchObject({ error: { details: required } })
})
