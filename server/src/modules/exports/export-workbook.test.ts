import type { FieldType } from '@portico/contract/contacts'
import type { FieldEntry } from '@portico/contract/fields'
import type { FieldFormat } from '@portico/domain/field-format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts, type FieldValues } from '#test/resources/contacts.ts'
import { createExport, downloadExport, endedExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { importFile } from '#test/resources/imports.ts'
import { oddTexts } from '#test/oracles/odd-texts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { readWorkbookFile, textsOf } from '#test/kit/read-workbook-file.ts'
import { unzippedBytes } from '#test/kit/unzipped.ts'

const types: Record<string, FieldType> = {
  Name: 'string',
  Score: 'number',
  Member: 'boolean',
  Seen: 'date',
  Born: 'day',
}
const contacts: FieldValues[] = [
  { Name: 'Zoë', Score: 31.5, Member: true, Seen: '2026-01-31T17:00:00Z', Born: '1990-02-28' },
  { Name: '=1+1', Score: -7, Member: false, Seen: '2026-07-01T04:00:00Z', Born: '1899-12-31' },
  { Name: '  blanks, "quotes" & <signs>\r\nand\ttabs  ', Score: 1e300 },
  { Name: '_x0041_ stays, \u0001\u0002\u0005\uffff too' },
  {},
]

let portal: TestPortal
let account: number
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  member = await portal.member(account)
  await portal.parts.database.pool.query("UPDATE portico.accounts SET time_zone = 'America/New_York' WHERE id = $1", [
    account,
  ])
  await addContacts(portal.parts.database, account, types, contacts)
  await portal.startWorker()
})
afterAll(() => portal.close())

async function exported(fields: string[], more: Partial<Parameters<typeof exportDraft>[1]> = {}, by = member) {
  const { _id } = await createExport(by, exportDraft(fields, { delimiter: 'xlsx', ...more }))
  return { _id, ended: await endedExport(by, _id) }
}

async function sheetsOf(id: string, by = member) {
  const file = await downloadExport(portal, by, `${id}.xlsx`)
  return { ...(await readWorkbookFile(file.bytes)), ...file }
}

/** Sets the format of a number field. */
async function formatField(by: Member, name: string, format: FieldFormat): Promise<void> {
  const fields = (await by.get('/contact-service/v1/fields/details')).json<FieldEntry[]>()
  const field = fields.find((each) => each.name === name)
  const { _id, version } = field ?? {}
  expect(await by.put(`/contact-service/v1/fields/${_id}`, { format, version })).toMatchObject({ status: 200 })
}

describe('an export as a workbook', () => {
  test('has typed cells under a frozen header, with moments in the time zone of the account', async () => {
    const { _id, ended } = await exported(Object.keys(types), { name: 'All: people' })
    expect(ended).toMatchObject({ status: 'completed', delimiter: 'xlsx', byteOrderMark: false, processedRecords: 5 })
    const { sheets, parts, type, disposition } = await sheetsOf(_id)
    expect(type).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(disposition).toContain('.xlsx')
    expect(sheets.map(({ name }) => name)).toEqual(['All_ people'])
    const [header, first, second, ...others] = sheets[0]?.rows ?? []
    expect(header?.map(({ text }) => text)).toEqual(Object.keys(types))
    expect(parts.get('xl/worksheets/sheet1.xml')).toContain('<pane ySplit="1"')
    expect(first).toEqual([
      { at: 'A2', type: 'inlineStr', style: null, text: 'Zoë' },
      { at: 'B2', type: null, style: null, text: '31.5' },
      { at: 'C2', type: 'b', style: null, text: '1' },
      // Noon in New York.
      { at: 'D2', type: null, style: '2', text: '46053.5' },
      { at: 'E2', type: null, style: '1', text: '32932' },
    ])
    // Sheets cannot represent days before 1900.
    expect(second?.slice(2)).toEqual([
      { at: 'C3', type: 'b', style: null, text: '0' },
      { at: 'D3', type: null, style: '2', text: '46204' },
      { at: 'E3', type: 'inlineStr', style: null, text: '1899-12-31' },
    ])
    expect(textsOf(others)).toEqual([
      ['  blanks, "quotes" & <signs>\r\nand\ttabs  ', '1e+300'],
      ['_x0041_ stays, \u0001\u0002\u0005\uffff too'],
      [],
    ])
  })

  test('contains texts unchanged, even if they look like formulas', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    const texts = oddTexts.filter((text) => text !== '' && text.length <= 32_767)
    await addContacts(
      portal.parts.database,
      own,
      { Text: 'string' },
      texts.map((Text) => ({ Text })),
    )
    const { _id } = await exported(['Text'], {}, by)
    expect(textsOf((await sheetsOf(_id, by)).sheets[0]?.rows ?? [])).toEqual([['Text'], ...texts.map((text) => [text])])
  })

  test('can be imported again without changes', async () => {
    const one = await portal.member(await portal.account())
    const rows = [
      { ...contacts[0], Score: 4155550134000001, Seen: '2026-11-01T05:30:00.25Z' },
      { ...contacts[1] },
      { ...contacts[2], Score: 1e20 },
      { ...contacts[3] },
      { Name: "'=1+1", Score: 0.1, Seen: '1850-01-01T00:00:00Z', Born: '9999-12-31' },
    ]
    await addContacts(portal.parts.database, one.account, types, rows)
    const { _id } = await exported(Object.keys(types), {}, one)
    const file = await downloadExport(portal, one, `${_id}.xlsx`)
    const other = await portal.member(await portal.account())
    const imported = await importFile(portal, other, file.bytes, { filePath: 'people.xlsx', typeCasting: true })
    expect(imported).toMatchObject({ status: 'completed', setAsideRecords: 0 })
    const texts = await Promise.all(
      [one, other].map(async (by) => {
        const { _id: id } = await createExport(by, exportDraft(Object.keys(types)))
        await endedExport(by, id)
        return (await downloadExport(portal, by, `${id}.csv`)).text
      }),
    )
    expect(texts[1]).toBe(texts[0])
  })

  test('has numbers in the format of their field, including those computed by groups', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    const values = [
      { Gift: 12.5, Share: 0.125, Fee: 3, Year: 2008, City: 'Bern' },
      { Gift: 2.25, Share: 0.5, Fee: 4.5, Year: 2009, City: 'Bern' },
    ]
    const numbers = { Gift: 'number', Share: 'number', Fee: 'number', Year: 'number' } as const
    await addContacts(portal.parts.database, own, { ...numbers, City: 'string' }, values)
    const money: FieldFormat = { style: 'currency', decimals: null, currency: 'CHF' }
    await formatField(by, 'Gift', money)
    await formatField(by, 'Share', { style: 'percent', decimals: 1, currency: null })
    await formatField(by, 'Fee', { style: 'decimal', decimals: null, currency: null })
    const { _id } = await exported(Object.keys(numbers), {}, by)
    const file = await sheetsOf(_id, by)
    expect(file.sheets[0]?.rows[1]?.map(({ style, text }) => [style, text])).toEqual([
      ['4', '12.5'],
      ['5', '0.125'],
      [null, '3'],
      [null, '2008'],
    ])
    const styles = file.parts.get('xl/styles.xml') ?? ''
    expect(Array.from(styles.matchAll(/numFmtId="16[67]" formatCode="([^"]*)"/g), ([, code]) => code)).toEqual([
      '&quot;CHF\u00a0&quot;#,##0.00',
      '0.0%',
    ])
    const group = [{ $group: { _id: { City: '$City' }, Gifts: { $sum: '$Gift' }, n: { $count: {} } } }]
    const grouped = await exported(['City', 'Gifts', 'n'], { aggregateQuery: JSON.stringify(group) }, by)
    expect((await sheetsOf(grouped._id, by)).sheets[0]?.rows[1]?.map(({ style, text }) => [style, text])).toEqual([
      [null, 'Bern'],
      ['4', '14.75'],
      [null, '2'],
    ])
    // An import reads the numbers, in any format.
    const other = await portal.member(await portal.account())
    await importFile(portal, other, file.bytes, { filePath: 'gifts.xlsx', typeCasting: true })
    const { _id: again } = await createExport(other, exportDraft(Object.keys(numbers)))
    await endedExport(other, again)
    expect((await downloadExport(portal, other, `${again}.csv`)).text).toBe(
      'Gift,Share,Fee,Year\n12.5,0.125,3,2008\n2.25,0.5,4.5,2009\n',
    )
  })

  test('can contain columns of groups and be zipped', async () => {
    const group = [{ $group: { _id: { member: '$Member' }, count: { $sum: 1 } } }, { $sort: { count: -1 } }]
    const more = { aggregateQuery: JSON.stringify(group), shouldZip: true, name: 'Groups' }
    const { _id } = await exported(['member', 'count'], more)
    const zip = await downloadExport(portal, member, `${_id}.zip`)
    const [[name, content] = []] = Object.entries(await unzippedBytes(zip.bytes))
    expect(name).toBe('Groups.xlsx')
    const { sheets } = await readWorkbookFile(content ?? Buffer.alloc(0))
    expect(sheets[0]?.rows.map((row) => row.map(({ text }) => text).at(-1))).toEqual(['count', '3', '1', '1'])
  })

  test('is rejected, naming the field, when a text does not fit into a cell', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    const texts = [{ Notes: 'a'.repeat(32_767) }, { Notes: 'a'.repeat(32_768) }]
    await addContacts(portal.parts.database, own, { Id: 'string', Notes: 'string' }, texts)
    const { ended } = await exported(['Id', 'Notes'], {}, by)
    expect(ended).toMatchObject({ status: 'rejected', fileSize: null })
    expect(ended.recoveryError).toBe(
      '"Notes" has a text of more than 32,767 characters, the most that a cell of an Excel workbook takes. ' +
        'Leave this field out, or choose another delimiter.',
    )
  })

  test('cannot be downloaded from another account or without the right', async () => {
    const { _id } = await exported(['Name'])
    const stranger = await portal.member(await portal.account())
    expect((await stranger.get(`/contact-service/v1/downloads/${_id}.xlsx`)).status).toBe(404)
    const limited = await portal.member(account, 'contact-service::exports::get')
    expect((await limited.get(`/contact-service/v1/downloads/${_id}.xlsx`)).status).toBe(403)
    expect((await member.get(`/contact-service/v1/downloads/${_id}.csv`)).status).toBe(404)
    expect((await limited.post(exportsPath, exportDraft(['Name'], { delimiter: 'xlsx' }))).status).toBe(403)
  })
})
