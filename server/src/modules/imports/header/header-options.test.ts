import type { FieldProblem } from '@portico/contract/errors'
import type { ImportPreview, PreviewHeader } from '@portico/contract/import-preview'
import type { Import, NewEventImport, NewImport } from '@portico/contract/imports'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { anImport, contactsOf, ended, importFile, upload } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { sheetRows, workbookOf } from '#test/resources/workbooks.ts'

// Problems of a header are reported together, and solved with the options of an import.

const path = '/contact-service/v1/imports'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

type Options = Partial<NewImport>

async function askPreview(content: Buffer | string, options: Options & { describeHeader?: boolean } = {}) {
  const { filePath = 'contacts.csv', fileDelimiter = 'comma', ...others } = options
  await upload(portal, member, filePath, content)
  return member.post(`${path}/preview`, { filePath, fileDelimiter, typeCasting: true, ...others })
}

async function describedBy(
  content: Buffer | string,
  options: Options = {},
): Promise<ImportPreview & { header: PreviewHeader }> {
  const answer = await askPreview(content, { ...options, describeHeader: true })
  expect(answer).toMatchObject({ status: 200 })
  return answer.json()
}

const load = (content: Buffer | string, options: Options = {}): Promise<Import> =>
  importFile(portal, member, content, { typeCasting: true, ...options })

async function fields(): Promise<string[][]> {
  const found = (await member.get('/contact-service/v1/fields')).json<{ name: string; type: string }[]>()
  return found.map(({ name, type }) => [name, type])
}

async function reportOf({ _id }: Import): Promise<string[]> {
  const { url } = (await member.get(`${path}/${_id}/set-aside`)).json<{ url: string }>()
  return (await portal.app.inject({ url })).body.replace('\uFEFF', '').trimEnd().split('\r\n')
}

const problemsOf = (answer: Answer) =>
  answer
    .json<{ error: { details: FieldProblem[] } }>()
    .error.details.map(({ field, message }) => `${field}: ${message}`)

const donors = `Email,Gift Total,Donor Since,Phone,Phone,ZIP,Opt In,,
ada@example.com,"$1,250.00",2008,+1 312 555 0134,,60614,Yes,,
bob@example.com,"$2,490.18",2011,312-555-0199,,08001,No,,
`
const titled = `Donors of spring,,\nExported on 1 March; by "Ada"\n\n${'Email,Age,City\na@x,4,Rome\nb@x,5\n'}`
const sheetOf = (rows: Parameters<typeof sheetRows>[0]) => workbookOf({ sheets: { Donors: sheetRows(rows) } })

describe('a preview agrees with the import', () => {
  const cases: [string, () => Promise<Buffer | string> | Buffer | string, Options][] = [
    ['a double and two blank columns', () => donors, { nameColumns: true }],
    ['a blank column with values', () => 'A,,B,\n1,x,2,\n3,,4,\n', { nameColumns: true }],
    ['blank columns without values', () => 'A,,B, ,\n1,,2,,\n3, ,4,,"\u00a0"\n', {}],
    ['line breaks in names', () => 'A,"Gift\r\nTotal","Gift Total"\n1,2,3\n', { nameColumns: true }],
    ['lines before the header', () => titled, { headerLine: 4 }],
    ['such lines in a packed file', () => gzipSync(titled), { headerLine: 4 }],
    ['a header with line breaks after a title', () => 'T\n"A\nB",C,C\n1,2,3\n', { headerLine: 2, nameColumns: true }],
    ['a line of the delimiter and a title', () => 'sep=;\r\nTitle\r\nA;B;\r\n1;2;\r\n', { headerLine: 3 }],
    ['UTF-16', () => Buffer.from(`\uFEFFTitel\r\nA,A\r\n1,2\r\n`, 'utf16le'), { headerLine: 2, nameColumns: true }],
    ...(['comma', 'tab', 'pipe', 'semicolon'] as const).map((fileDelimiter): (typeof cases)[number] => {
      const sign = { comma: ',', tab: '\t', pipe: '|', semicolon: ';' }[fileDelimiter]
      const file = `Title "x"\nA~A~\n1~2~\n`.replaceAll('~', sign)
      return [`cells separated by ${fileDelimiter}`, () => file, { fileDelimiter, headerLine: 2, nameColumns: true }]
    }),
    [
      'a sheet with a title of two lines',
      () =>
        sheetOf([
          ['Donors\nof spring'],
          [],
          ['Email', 'Phone', 'Phone', '', 'City'],
          ['a@x', 1],
          ['b@x', 2, 3, '', 'Rome'],
        ]),
      { filePath: 'donors.xlsx', headerLine: 3, nameColumns: true },
    ],
  ]
  test.each(cases)('about %s', async (_what, makeFile, options) => {
    const file = await makeFile()
    const { columns, header, rows } = await describedBy(file, options)
    expect(header.refusal).toBeNull()
    const done = await load(file, options)
    expect(done).toMatchObject({
      status: 'completed',
      headerLine: options.headerLine ?? null,
      nameColumns: options.nameColumns ?? false,
    })
    expect(await fields()).toEqual(columns.map(({ name, loadedType }) => [name, loadedType]))
    expect(done.header).toEqual(columns.map(({ name }) => name))
    const contacts = (await contactsOf(member)).map((contact) =>
      columns.map(({ name }) => `${(contact[name] as string | number | undefined) ?? ''}`),
    )
    expect(contacts).toEqual(rows)
  })
})

describe('a preview that describes the header', () => {
  test('reports all problems at once, with the names that would solve them', async () => {
    const file = 'Email,Phone,Phone,,"Gift\nTotal",\na@x,1,2,3,4,\n'
    const told =
      'Column 4 of the header is blank, with a value on line 3. Give it a name. ' +
      'The header names "Phone" twice: columns 2 and 3. ' +
      'The name of column 5 contains a character that cannot be displayed, such as a line break or a tab.'
    expect((await describedBy(file)).header).toEqual({
      line: 1,
      lines: [
        { line: 1, cells: ['Email', 'Phone', 'Phone', '', 'Gift\nTotal', ''] },
        { line: 3, cells: ['a@x', '1', '2', '3', '4', ''] },
      ],
      likelyLine: null,
      unnamed: [
        { column: 3, name: 'Phone', problem: 'repeated', of: 2, becomes: 'Phone (2)' },
        { column: 4, name: '', problem: 'blank', of: null, becomes: 'Column 4' },
        { column: 5, name: 'Gift\nTotal', problem: 'unfit', of: null, becomes: 'Gift Total' },
      ],
      leftOut: [],
      refusal: told,
      remembered: null,
    })
    expect(problemsOf(await askPreview(file))).toEqual([`filePath: ${told}`])
    expect(await load(file)).toMatchObject({ status: 'rejected', recoveryError: told })
    const named = await describedBy(file, { nameColumns: true })
    expect(named.columns.map(({ name }) => name)).toEqual(['Email', 'Phone', 'Phone (2)', 'Column 4', 'Gift Total'])
    expect(named.header).toMatchObject({ leftOut: [6], refusal: null })
  })

  test('shows the lines before the header, and which line is likely the header', async () => {
    const { header, columns } = await describedBy(titled)
    expect(columns).toEqual([])
    expect(header).toMatchObject({
      line: 1,
      lines: [
        { line: 1, cells: ['Donors of spring', '', ''] },
        { line: 2, cells: ['Exported on 1 March; by "Ada"'] },
        { line: 4, cells: ['Email', 'Age', 'City'] },
        { line: 5, cells: ['a@x', '4', 'Rome'] },
        { line: 6, cells: ['b@x', '5'] },
      ],
      likelyLine: 4,
    })
    expect(header.refusal).toMatch(/^Columns 2, 3 of the header are blank, with a first value on line 4/)
    expect((await describedBy(titled, { headerLine: 4 })).header).toMatchObject({
      line: 4,
      likelyLine: null,
      refusal: null,
    })
  })

  test('counts the rows of a sheet regardless of line breaks in cells', async () => {
    const file = await sheetOf([['Donors\nof\nspring'], ['A', 'B'], ['1', '2']])
    const { header } = await describedBy(file, { filePath: 'donors.xlsx' })
    expect(header).toMatchObject({
      likelyLine: 2,
      refusal: expect.stringMatching(/^The name of column 1 contains/) as string,
    })
    expect(header.lines.map(({ line }) => line)).toEqual([1, 2, 3])
  })

  test('reports that no header begins on a blank or missing line, as the import does', async () => {
    for (const headerLine of [3, 7]) {
      const told = `No header begins on line ${headerLine}. Choose the line that has the names of the columns.`
      expect((await describedBy(titled, { headerLine })).header).toMatchObject({ line: null, refusal: told })
      expect(problemsOf(await askPreview(titled, { headerLine }))).toEqual([`headerLine: ${told}`])
      const answer = await member.post(path, anImport({ headerLine }))
      expect([answer.status, problemsOf(answer)]).toEqual([400, [`headerLine: ${told}`]])
    }
  })

  test('is refused for an empty file and for an invalid line number', async () => {
    expect(problemsOf(await askPreview('', { describeHeader: true }))).toEqual(['filePath: The file is empty.'])
    for (const headerLine of [0, 1.5, 1001]) {
      expect(problemsOf(await askPreview(donors, { headerLine }))).toEqual(['headerLine: Value is invalid!'])
    }
  })

  test('describes the header only on request', async () => {
    expect((await askPreview('A\n1\n')).json()).toMatchObject({ header: null })
  })
})

describe('an import', () => {
  test('is rejected, naming the line, when a blank column turns out to have a value', async () => {
    const file = `A,,B\n${'1,,2\n'.repeat(30_000)}3,x,4\n`
    expect((await describedBy(file)).header).toMatchObject({ leftOut: [2], refusal: null })
    expect(await load(file)).toMatchObject({
      status: 'rejected',
      recoveryError: 'Column 2 of the header is blank, with a value on line 30,002. Give it a name.',
    })
    expect(await contactsOf(member)).toEqual([])
    const named = await load(file, { nameColumns: true })
    expect(named).toMatchObject({ status: 'completed', createdRecords: 30_001, header: ['A', 'Column 2', 'B'] })
  })

  test('reports the lines of the original file, with its column names', async () => {
    const file = `sep=;\nTitle\n\nA;A;;B\n1;2;;3\n1;2\n\n4;5;;"6\n7"\n8;9;x\n`
    const done = await load(file, { headerLine: 4, nameColumns: true })
    expect(done).toMatchObject({ processedRecords: 2, setAsideRecords: 2 })
    const report = await reportOf(done)
    expect(report).toEqual([
      'Set-Aside Line,Set-Aside Reason,A,A (2),,B',
      '6,"Expected 4 cells, found 2.",1,2',
      '10,"Expected 4 cells, found 3.",8,9,x',
    ])
    const corrected = report.join('\r\n').replace('found 2.",1,2', 'found 2.",1,2,,7').replace('8,9,x', '8,9,,x')
    expect(await load(corrected)).toMatchObject({ createdRecords: 2, setAsideRecords: 0 })
    expect((await fields()).map(([name]) => name)).toEqual(['A', 'A (2)', 'B'])
  })

  test('maps, matches and types columns by their generated names', async () => {
    const options = {
      nameColumns: true,
      dedupColumns: ['Phone (2)'],
      columnMapping: { 'Phone (2)': 'Mobile', ZIP: null },
      columnTypes: { 'Gift Total': { type: 'number' } },
    } satisfies Options
    await load(donors.replaceAll('0134,,', '0134,1,').replaceAll('0199,,', '0199,2,'), options)
    expect((await contactsOf(member)).map((one) => [one['Mobile'], one['Gift Total'], one['ZIP']])).toEqual([
      [1, 1250, undefined],
      [2, 2490.18, undefined],
    ])
    const { remembered } = await describedBy(donors, { nameColumns: true })
    expect(remembered).toMatchObject({ columnMapping: options.columnMapping })
  })

  test('of events has the same options', async () => {
    await load('Email\na@x\n')
    const draft: NewEventImport = {
      kind: 'events',
      name: 'Orders',
      filePath: 'orders.csv',
      fileDelimiter: 'comma',
      processBatchSize: 25,
      keyColumn: 'Email',
      keyField: 'Email',
      headerLine: 2,
      nameColumns: true,
    }
    const file =
      'Orders\nEmail,event_code,event_date,Item,Item,,\na@x,order,2024-05-01,pen,ink,,x\nb@x,order,2024-05-01,,,,\n'
    await upload(portal, member, draft.filePath, file)
    const answer = await member.post(path, draft)
    expect(answer.status).toBe(201)
    const done = await ended(member, answer.json<Import>()._id)
    expect(done).toMatchObject({
      status: 'completed',
      createdRecords: 1,
      header: ['Email', 'event_code', 'event_date', 'Item', 'Item (2)', 'Column 7'],
    })
    expect((await reportOf(done))[1]).toMatch(/^4,No such contact/)
    const [contact] = await contactsOf(member)
    const events = (await member.get(`/contact-service/v1/offers/${contact?._id}`)).json<{ events: unknown[] }>().events
    const askedAs = async (kind?: 'events') => {
      const { fileDelimiter, headerLine, nameColumns } = draft
      const body = { filePath: draft.filePath, fileDelimiter, headerLine, nameColumns, typeCasting: true, kind }
      return (await member.post(`${path}/preview`, body)).json<ImportPreview>().remembered
    }
    expect(await askedAs('events')).toMatchObject({ name: 'Orders', keyColumn: 'Email', keyField: 'Email' })
    expect(await askedAs()).toBeNull()
    expect(events).toMatchObject([{ details: { Item: 'pen', 'Item (2)': 'ink', 'Column 7': 'x' } }])
  })
})

describe('a header that was chosen', () => {
  const next = `Donors of summer,,\n"Exported, at last"\nPage 1\n\n${'Email,Age,Age,,\nc@x,6,7,,\n'}`

  test('is found again in the next file with these columns, on whatever line they are', async () => {
    await load(`Donors\n\n${'Email,Age,Age,,\na@x,4,5,,\n'}`, {
      headerLine: 3,
      nameColumns: true,
      name: 'Spring donors',
    })
    const { header } = await describedBy(next)
    expect(header.remembered).toEqual({ name: 'Spring donors', headerLine: 5, nameColumns: true })
    const { headerLine, nameColumns } = { headerLine: 5, nameColumns: true }
    const again = await describedBy(next, { headerLine, nameColumns })
    expect(again.header).toMatchObject({ refusal: null, remembered: null })
    expect(again.columns.map(({ name }) => name)).toEqual(['Email', 'Age', 'Age (2)'])
    // On the first line, only the names are left to choose.
    const untitled = await describedBy('Email,Age,Age,,\nc@x,6,7,,\n')
    expect(untitled.header.remembered).toEqual({ name: 'Spring donors', headerLine: null, nameColumns: true })
  })

  test('is not used for other columns, by other accounts, or where it is the first line anyway', async () => {
    await load('Donors\n\nEmail,Age\na@x,4\n', { headerLine: 3 })
    expect((await describedBy('Donors\n\nEmail,Ages\na@x,4\n')).header.remembered).toBeNull()
    expect((await describedBy('Donors\n\nEmail,Age,City\na@x,4,Rome\n')).header.remembered).toBeNull()
    expect((await describedBy('Email,Age\na@x,4\n')).header.remembered).toBeNull()
    expect((await describedBy('Donors\n\nEmail,Age\na@x,4\n')).header.remembered).toMatchObject({ headerLine: 3 })
    member = await portal.member(await portal.account())
    expect((await describedBy('Donors\n\nEmail,Age\na@x,4\n')).header.remembered).toBeNull()
  })
})
