import type { ImportPreview } from '@portico/contract/import-preview'
import type { NewEventImport, NewImport } from '@portico/contract/imports'
import type { FieldProblem } from '@portico/contract/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { anImport, contactsOf, ended, importFile, submit, upload } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { packed, sheetRows, workbookOf } from '#test/resources/workbooks.ts'

const path = '/contact-service/v1/imports'
const filePath = 'people.xlsx'

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

/** The same people as text and as a workbook, where they are on the second sheet. */
const csv = `Email,Name,Age,Paid,Member,Born,Seen,ZIP
ada@x,"King, ""Ada""",36,12.5,true,1815-12-10,2024-01-31 10:30:00,01234
bob@x,'=Bob,,-0.25,false,2000-02-29,2024-02-29 00:00:00,90210
zoe@x,"two
lines",41,1000000,,1999-12-31,,00501
`
const people = `${sheetRows([['Email', 'Name', 'Age', 'Paid', 'Member', 'Born', 'Seen', 'ZIP']])}
<row r="2">${text('ada@x')}${text('King, "Ada"')}<c><v>36</v></c><c><v>1.25E1</v></c><c t="b"><v>1</v></c>${text('1815-12-10')}<c s="2"><v>45322.4375</v></c><c s="3"><v>1234</v></c></row>
<row r="3">${text('bob@x')}${text("'=Bob")}<c/><c><v>-0.25</v></c><c t="b"><v>0</v></c><c s="1"><v>36585</v></c><c s="2"><v>45351</v></c><c s="3"><v>90210</v></c></row>
<row r="4">${text('zoe@x')}${text('two\nlines')}<c><v>41</v></c><c><v>1000000</v></c><c/><c s="1"><v>36525</v></c><c t="e"><v>#N/A</v></c><c s="3"><v>501</v></c></row>`
const workbook = () =>
  workbookOf({
    sheets: { Cover: sheetRows([['A title, which is no header'], ['x']]), People: people },
    formats: [14, 22, '00000'],
  })

function text(value: string): string {
  return `<c t="inlineStr"><is><t>${value.replaceAll('"', '&quot;')}</t></is></c>`
}

async function valuesOf(one: Member) {
  return (await contactsOf(one)).map(({ _id, ...values }) => values)
}
const fieldsOf = async (one: Member) => {
  const answer = await one.get('/contact-service/v1/fields')
  return answer.json<{ name: string; type: string }[]>().map(({ name, type }) => ({ name, type }))
}
const problemsOf = (answer: Answer) =>
  answer
    .json<{ error: { details: FieldProblem[] } }>()
    .error.details.map(({ field, message }) => `${field}: ${message}`)

describe('an import of a workbook', () => {
  test.each(['comma', 'tab', 'pipe', 'semicolon'] as const)(
    'yields the contacts and types of the same text, ignoring the delimiter %s',
    async (fileDelimiter) => {
      const other = await portal.member(await portal.account())
      // The formula guard of a comma-separated file is removed; a sheet has none.
      const asText = await importFile(portal, other, csv.replace("'=Bob", "''=Bob"), { typeCasting: true })
      expect(asText).toMatchObject({ status: 'completed', fileSheet: null })
      const changes = { filePath, fileSheet: 'People', fileDelimiter, typeCasting: true }
      const done = await importFile(portal, member, await workbook(), changes)
      expect(done).toMatchObject({ status: 'completed', fileSheet: 'People', createdRecords: 3, setAsideRecords: 0 })
      expect(await fieldsOf(member)).toEqual(await fieldsOf(other))
      expect(await valuesOf(member)).toEqual(await valuesOf(other))
    },
  )

  test('loads shared strings from far down the table, which a preview does not read', { timeout: 60_000 }, async () => {
    await importFile(portal, member, 'Email,Amount\na@x,1\n', { typeCasting: true })
    const shared = `${'<si><t>text</t></si>'.repeat(2_000_000)}<si><t>far</t></si>`
    const rows = `${sheetRows([['Email', 'Amount']])}<row r="2"><c t="s"><v>2000000</v></c><c t="s"><v>2000000</v></c></row>`
    const file = await workbookOf({ sheets: { S: rows }, sharedStrings: shared })
    await upload(portal, member, filePath, file)
    const answer = await member.post(`${path}/preview`, { filePath, fileDelimiter: 'comma', typeCasting: true })
    const unread = '(not read for the preview)'
    expect(answer.json<ImportPreview>()).toMatchObject({
      rows: [[unread, unread]],
      columns: [
        { name: 'Email', type: 'string', isEmpty: false },
        { name: 'Amount', type: 'string', isEmpty: false, misfits: { number: { cells: 0 } } },
      ],
    })
    expect(await importFile(portal, member, file, { filePath })).toMatchObject({ createdRecords: 1, setAsideCells: 1 })
    expect((await contactsOf(member)).map(({ Email }) => Email)).toContain('far')
  })

  test('matches contacts by their keys, and reports set-aside rows by their rows of the sheet', async () => {
    const settings = { filePath, dedupColumns: ['Email'], fileSheet: 'People' }
    await importFile(portal, member, await workbook(), settings)
    const rows = `${sheetRows([['Email', 'Name']])}<row r="5">${text('ada@x')}${text('Ada')}</row><row r="9">${text('x')}<c/>${text('too much')}</row>`
    const again = await importFile(portal, member, await workbookOf({ sheets: { S: rows } }), {
      filePath,
      dedupColumns: ['Email'],
    })
    expect(again).toMatchObject({ status: 'completed', updatedRecords: 1, createdRecords: 0, setAsideRecords: 1 })
    const { url } = (await member.get(`${path}/${again._id}/set-aside`)).json<{ url: string }>()
    const report = await portal.app.inject({ url })
    expect(report.body).toContain('9,"Expected 2 cells, found 3.",x,,too much')
  })

  test('takes the first visible sheet, and stores its name', async () => {
    const sheets = { Old: sheetRows([['A'], [1]]), New: sheetRows([['B, C'], [2]]) }
    const done = await importFile(portal, member, await workbookOf({ sheets, hidden: ['Old'] }), {
      filePath,
      fileDelimiter: 'tab',
    })
    expect(done).toMatchObject({ status: 'completed', fileSheet: 'New', header: ['B, C'] })
    expect((await member.get(`${path}/${done._id}`)).json()).toMatchObject({ fileSheet: 'New' })
  })

  test('of events yields the events of the same text', async () => {
    await importFile(portal, member, 'Email\nada@x\n')
    const rows = sheetRows([
      ['Email', 'event_code', 'event_date', 'Price'],
      ['ada@x', 'order', '2024-01-31', 12.5],
    ])
    await upload(portal, member, filePath, await workbookOf({ sheets: { Notes: '', Orders: rows } }))
    const draft: NewEventImport = {
      kind: 'events',
      name: 'Orders of January',
      filePath,
      fileDelimiter: 'comma',
      fileSheet: 'orders',
      processBatchSize: 25,
      keyColumn: 'Email',
      keyField: 'Email',
      typeCasting: true,
    }
    const answer = await member.post(path, draft)
    expect(answer).toMatchObject({ status: 201 })
    const done = await ended(member, answer.json<{ _id: string }>()._id)
    expect(done).toMatchObject({ status: 'completed', fileSheet: 'Orders', createdRecords: 1, setAsideRecords: 0 })
    const [contact] = await contactsOf(member)
    const { body } = await member.get(`/contact-service/v1/offers/${contact?._id}`)
    expect(body).toMatchObject({ events: [{ event_code: 'order', details: { Price: 12.5 } }] })
  })

  test('names the available sheets if the requested one does not exist', async () => {
    await upload(portal, member, filePath, await workbook())
    await upload(portal, member, 'contacts.csv', 'A\n1\n')
    const missing = 'fileSheet: The workbook has no sheet "Leads". Its sheets: "Cover", "People".'
    const create = (changes: Partial<NewImport>) => member.post(path, anImport(changes))
    expect(problemsOf(await create({ filePath, fileSheet: 'Leads' }))).toEqual([missing])
    expect(problemsOf(await create({ fileSheet: 'Leads' }))).toEqual([
      'fileSheet: This file has no sheets, so it has no sheet "Leads".',
    ])
    const question = { filePath, fileDelimiter: 'comma', typeCasting: true, fileSheet: 'Leads' }
    expect(problemsOf(await member.post(`${path}/preview`, question))).toEqual([missing])
    expect(problemsOf(await create({ filePath, fileSheet: '' }))).toEqual(['fileSheet: Value is required!'])
  })

  test('does not find uploads of other accounts', async () => {
    await upload(portal, member, filePath, await workbook())
    const other = await portal.member(await portal.account())
    const unknown = [`filePath: No file named "${filePath}" has been uploaded.`]
    expect(problemsOf(await other.post(path, anImport({ filePath, fileSheet: 'People' })))).toEqual(unknown)
    const question = { filePath, fileDelimiter: 'comma', typeCasting: true }
    expect(problemsOf(await other.post(`${path}/preview`, question))).toEqual(unknown)
  })

  test('is rejected with the reason when the workbook is damaged', async () => {
    const sheet = `${sheetRows([['A']])}<row r="2"><c><v>x</v></c></row>`
    const draft = await submit(portal, member, await workbookOf({ sheets: { S: sheet } }), { filePath })
    const done = await ended(member, draft._id)
    expect(done).toMatchObject({ status: 'rejected', fileSheet: 'S', processedRecords: 0 })
    expect(done.recoveryError).toContain('The workbook is damaged: a number of its row 2 cannot be read.')
  })
})

test('a workbook that is no list of contacts is refused with the reason, and makes nothing', async () => {
  const error = '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>'
  const widest = Array.from({ length: 16_384 }, (_, at) => `Column ${at}`)
  const compound = Buffer.alloc(2048)
  compound.write('d0cf11e0a1b11ae1', 'hex')
  const bomb = Buffer.concat([Buffer.from('<worksheet>'), Buffer.alloc(150_000_000, `<x>${' '.repeat(100_000)}</x>`)])
  const sheet = (S: string) => workbookOf({ sheets: { S } })
  const cases: [reason: string, bytes: Buffer][] = [
    ['16,384 columns; at most 1,000', await sheet(sheetRows([widest, widest]))],
    ['only a header', await sheet(`${sheetRows([['Email', 'Name']])}<row r="2">${error}${error}</row>`)],
    ['only a header', await sheet(`<row r="1">${error}${error}</row><row r="2"><c><v>1</v></c><c><v>2</v></c></row>`)],
    ['(.xlsb)', await packed({ 'xl/workbook.bin': 'x' })],
    ['with a password', compound],
    ['250 times its size', await workbookOf({ sheets: { S: '' }, others: { 'xl/worksheets/sheet1.xml': bomb } })],
  ]
  for (const [reason, bytes] of cases) {
    await upload(portal, member, filePath, bytes)
    const asked = await member.post(path, anImport({ filePath }))
    const why =
      asked.status === 201 ? (await ended(member, asked.json<{ _id: string }>()._id)).recoveryError : asked.body
    expect(JSON.stringify(why)).toContain(reason)
    expect([await fieldsOf(member), await contactsOf(member)]).toEqual([[], []])
  }
})

describe('a preview of a workbook', () => {
  async function preview(content: Buffer, changes = {}): Promise<ImportPreview> {
    await upload(portal, member, filePath, content)
    const question = { filePath, fileDelimiter: 'pipe', typeCasting: true, ...changes }
    const answer = await member.post(`${path}/preview`, question)
    expect(answer).toMatchObject({ status: 200 })
    return answer.json<ImportPreview>()
  }

  test('shows the sheet, its columns, and the list of sheets', async () => {
    const found = await preview(await workbook(), { fileSheet: 'people' })
    expect(found).toMatchObject({ sampledRows: 3, isWhole: true, sheet: 'People', hiddenRows: 0, errorCells: 1 })
    expect(found.sheets).toEqual([
      { name: 'Cover', hidden: false },
      { name: 'People', hidden: false },
    ])
    expect(found.rows[2]).toEqual(['zoe@x', 'two\nlines', '41', '1000000', '', '1999-12-31', '', '00501'])
    expect(found.columns.map(({ type }) => type)).toEqual([
      'string',
      'string',
      'number',
      'number',
      'boolean',
      'day',
      'date',
      'string',
    ])
  })

  test('counts hidden rows only in the sample, and marks hidden sheets', async () => {
    const rows = Array.from({ length: 12_000 }, (_, row) => `<row hidden="1"><c><v>${row}</v></c></row>`).join('')
    const sheets = { S: sheetRows([['A']]) + rows, Old: '' }
    const found = await preview(await workbookOf({ sheets, hidden: ['Old'] }))
    expect(found).toMatchObject({ sampledRows: 10_000, hiddenRows: 10_000, isWhole: false })
    expect(found.sheets[1]).toEqual({ name: 'Old', hidden: true })
  })

  test('lists no sheets for a text file', async () => {
    await upload(portal, member, 'contacts.csv', 'A\n1\n')
    const answer = await member.post(`${path}/preview`, {
      filePath: 'contacts.csv',
      fileDelimiter: 'comma',
      typeCasting: true,
    })
    expect(answer.json()).toMatchObject({ sheets: [], sheet: null, hiddenRows: 0, errorCells: 0 })
  })
})
