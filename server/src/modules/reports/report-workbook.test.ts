import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { workbookType } from '@portico/contract/workbook/workbook-parts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import type { Member } from '#test/kit/portal.ts'
import { readWorkbookFile, textsOf } from '#test/kit/read-workbook-file.ts'
import {
  byCity,
  dashboardOf,
  endedRun as endedRunOf,
  fileOf as reportFile,
  instructionFor,
  reportCron,
  type Reporting,
  startReporting,
  uploadTo,
  year,
} from '#test/resources/reports.ts'
import { unzippedBytes } from '#test/kit/unzipped.ts'

// Scheduled reports as Excel workbooks.

let reporting: Reporting
let owner: Member

const types = { Name: 'string', City: 'string', Score: 'number', Member: 'boolean', Seen: 'date', Born: 'day' } as const

beforeAll(async () => {
  reporting = await startReporting()
  const { portal } = reporting
  owner = await portal.member(await portal.account())
  const { database } = portal.parts
  await database.pool.query("UPDATE portico.accounts SET time_zone = 'America/New_York' WHERE id = $1", [owner.account])
  await addContacts(database, owner.account, types, [
    { Name: '=1+1', City: 'Bern', Score: 0.1, Member: true, Seen: '2026-01-31T17:00:00Z', Born: '1990-02-28' },
    { Name: '007', City: 'Lyon', Score: -7, Member: false, Seen: '2026-07-01T04:00:00Z', Born: '1899-12-31' },
    { Name: 'Cleo', City: 'Bern', Score: 0.2 },
  ])
})
afterAll(() => reporting.close())

const people = {
  type: 'PaginaTable',
  title: 'People',
  filter: { standard: [], columns: Object.keys(types), sort: { Name: 1 } },
}
const calculated = {
  type: 'CalculatedTable',
  title: 'By month',
  filter: {
    standard: [
      { $match: { Seen: { $exists: true } } },
      {
        $group: {
          _id: { Year: { $year: '$Seen' }, Month: { $month: '$Seen' } },
          n: { $count: {} },
          Last: { $max: '$Seen' },
        },
      },
      { $sort: { Month: 1 } },
    ],
  },
  calculatedColumns: [
    { name: 'Third', expression: '{{n}} / 3', fix: 'none', position: 'b::n' },
    { name: 'Twice', expression: '{{n}} * 2', fix: 'post:: x', position: 'e' },
  ],
}

const endedRun = (instruction: object, more: object = {}): Promise<ScheduleDetails> =>
  endedRunOf(reporting.portal, owner, reportCron({ ...instruction }, { ...more }))
const fileOf = (run: ScheduleDetails) => reportFile(reporting.portal, owner, run)
const inWorkbook = (dashboard: Parameters<typeof instructionFor>[0], download: object = {}) =>
  instructionFor(dashboard, {}, { delimiter: 'xlsx', ...download })

describe('a report as a workbook', () => {
  test('has a sheet for each table and chart, with typed cells under a frozen header', async () => {
    const run = await endedRun(inWorkbook(await dashboardOf(owner, byCity, people, calculated)))
    expect(run).toMatchObject({ status: 'completed', processedRecords: 7 })
    const { bytes, disposition } = await fileOf(run)
    expect(disposition).toContain(`report-${year}-11-01-0900.xlsx`)
    const { sheets, parts } = await readWorkbookFile(bytes)
    expect(sheets.map(({ name }) => name)).toEqual(['By city', 'People', 'By month'])
    expect(textsOf(sheets[0]?.rows ?? [])).toEqual([
      ['City', 'count'],
      ['Bern', '2'],
      ['Lyon', '1'],
    ])
    for (const number of [1, 2, 3]) {
      expect(parts.get(`xl/worksheets/sheet${number}.xml`)).toContain('<pane ySplit="1"')
      expect(parts.get(`xl/worksheets/sheet${number}.xml`)).not.toContain('<f>')
    }
    const [header, first, second, third] = sheets[1]?.rows ?? []
    expect(header?.map(({ text, style }) => [text, style])).toEqual(Object.keys(types).map((name) => [name, '3']))
    expect(first).toEqual([
      { at: 'A2', type: 'inlineStr', style: null, text: '=1+1' },
      { at: 'B2', type: 'inlineStr', style: null, text: 'Bern' },
      { at: 'C2', type: null, style: null, text: '0.1' },
      { at: 'D2', type: 'b', style: null, text: '1' },
      // Noon in New York.
      { at: 'E2', type: null, style: '2', text: '46053.5' },
      { at: 'F2', type: null, style: '1', text: '32932' },
    ])
    // A text of digits stays a text, and so does a day that sheets cannot represent.
    expect([second?.[0], second?.[5]]).toMatchObject([
      { type: 'inlineStr', text: '007' },
      { type: 'inlineStr', text: '1899-12-31' },
    ])
    expect(third?.map(({ text }) => text)).toEqual(['Cleo', 'Bern', '0.2'])
    expect(sheets[2]?.rows.map((row) => row.map(({ type, text }) => (type === null ? Number(text) : text)))).toEqual([
      ['Year', 'Month', 'Third', 'n', 'Last', 'Twice'],
      [2026, 'January', 0.333333333333333, 1, 46053.5, '2 x'],
      [2026, 'July', 0.333333333333333, 1, 46204, '2 x'],
    ])
    const downloads = await owner.get('/contact-service/v1/downloads')
    expect(downloads.body).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'report', fileName: expect.stringMatching(/\.xlsx$/) })]),
    )
  })

  test('has distinct sheet names that Excel accepts', async () => {
    const titled = (title: string) => ({ ...byCity, title })
    const long = 'Contacts by city and by month of joining'
    const dashboard = await dashboardOf(owner, ...['A/B: [x]?', 'a_b_ _x__', long, long, 'History'].map(titled))
    const { bytes } = await fileOf(await endedRun(inWorkbook(dashboard)))
    expect((await readWorkbookFile(bytes)).sheets.map(({ name }) => name)).toEqual([
      'A_B_ _x__',
      'a_b_ _x__ 2',
      'Contacts by city and by month o',
      'Contacts by city and by month 2',
      'History 2',
    ])
  })

  test('can be one file for each cell, and be zipped', async () => {
    const dashboard = await dashboardOf(owner, byCity, people)
    const several = await fileOf(await endedRun(inWorkbook(dashboard, { multipleFiles: true, addQuotes: true })))
    expect(several.disposition).toContain('.zip')
    const files = await unzippedBytes(several.bytes)
    expect(Object.keys(files)).toEqual(['report-By city.xlsx', 'report-People.xlsx'])
    const { sheets } = await readWorkbookFile(files['report-People.xlsx'] ?? Buffer.alloc(0))
    expect(sheets.map(({ name, rows }) => [name, rows.length])).toEqual([['People', 4]])
    const zipped = await fileOf(await endedRun(inWorkbook(dashboard, { zipped: true })))
    expect(Object.keys(await unzippedBytes(zipped.bytes))).toEqual(['report.xlsx'])
  })

  test('is uploaded and emailed as a workbook', async () => {
    const { mail, sftp } = reporting
    const notification = {
      from: 'reports@example.com',
      fromName: 'Reports',
      subject: 'A workbook',
      bodyHtml: '<p>x</p>',
      attachFiles: true,
    }
    const dashboard = await dashboardOf(owner, byCity)
    const run = await endedRun(
      { ...inWorkbook(dashboard, { fileName: 'cities', overwrite: true }), notification },
      { notificationEmails: 'ann@example.com', ...uploadTo(sftp) },
    )
    const received = () => mail.received.find(({ message }) => message.subject === 'A workbook')
    await expect.poll(received, { timeout: 30_000 }).toBeDefined()
    const [attached] = received()?.message.attachments ?? []
    expect(attached).toMatchObject({ filename: 'cities.xlsx', mimeType: workbookType })
    const uploaded = () => sftp.files.get('in/cities.xlsx') ?? sftp.files.get('/in/cities.xlsx')
    await expect.poll(uploaded, { timeout: 30_000 }).toBeDefined()
    expect(uploaded()?.equals((await fileOf(run)).bytes)).toBe(true)
  })

  test('fails, naming the column, if a text is too long for a cell of a sheet', async () => {
    const by = await reporting.portal.member(await reporting.portal.account())
    const { database } = reporting.portal.parts
    await addContacts(database, by.account, { Notes: 'string' }, [{ Notes: 'a'.repeat(32_768) }])
    const notes = { type: 'PaginaTable', title: 'All notes', filter: { standard: [], columns: ['Notes'] } }
    const instruction = inWorkbook(await dashboardOf(by, notes))
    const run = await endedRunOf(reporting.portal, by, reportCron(instruction))
    expect(run).toMatchObject({
      status: 'terminated',
      comment:
        'All notes: "Notes" has a text of more than 32,767 characters, the most that a cell of an Excel workbook takes. ' +
        'Leave this column out, or choose another delimiter.',
      fileUrl: null,
    })
  })
})
