import { describe, expect, it } from 'vitest'
import { packed, sheetRows, sourceFile, type WorkbookParts, workbookOf } from '#test/resources/workbooks.ts'
import { openSourceText } from '../reading/source-text.ts'
import { FileRefused } from '../reading/source-text-refused.ts'

async function bytesOf(file: Parameters<typeof openSourceText>[0]): Promise<number> {
  let bytes = 0
  for await (const chunk of openSourceText(file, { delimiter: ',', sheet: null })) bytes += chunk.length
  return bytes
}

/** The reason why a file is refused; null if it can be read. */
async function refusalOf(file: Parameters<typeof openSourceText>[0]): Promise<string | null> {
  try {
    await bytesOf(file)
    return null
  } catch (error) {
    if (error instanceof FileRefused) return error.message
    throw error
  }
}

const refusal = (bytes: Buffer, name = 'contacts.xlsx') => refusalOf(sourceFile(bytes, { name }))
const workbookRefusal = async (parts: WorkbookParts) => refusal(await workbookOf(parts))

const rows = sheetRows([
  ['A', 'B'],
  [1, 2],
])
const xml = (text: string) => `<?xml version="1.0"?>${text}`

describe('a workbook is refused', () => {
  it('with a table of contents that is too large to keep', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `${at}${'x'.repeat(60_000)}`)
    const bytes = await packed(Object.fromEntries(names.map((name) => [name, ''])))
    expect(await refusal(bytes)).toBe(
      'The table of contents of the zip file is larger than 16 MB: the names in it are too long.',
    )
  })

  it('with too many number formats', async () => {
    const formats = Array.from({ length: 100_001 }, (_, at) => `<numFmt numFmtId="${at}"/>`).join('')
    const others = { 'xl/styles.xml': xml(`<styleSheet><numFmts>${formats}</numFmts></styleSheet>`) }
    expect(await workbookRefusal({ sheets: { S: rows }, others })).toContain('more than 100,000 number formats')
  })

  it.each([
    'xl/workbook.xml',
    'xl/_rels/workbook.xml.rels',
    'xl/styles.xml',
    'xl/sharedStrings.xml',
    'xl/worksheets/sheet1.xml',
  ])('with a document type declaration in %s', async (part) => {
    const entity =
      '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]><x>&b;</x>'
    const text = '<row><c t="s"><v>0</v></c></row>'
    const parts = { sheets: { S: text }, sharedStrings: '<si><t>x</t></si>', others: { [part]: xml(entity) } }
    expect(await workbookRefusal(parts)).toContain('The workbook contains a document type (DOCTYPE) or entities')
  })

  it.each([
    ['a tag in it cannot be read', '<row><c><v>1</v></c></row><<row/>'],
    ['an element in it ends in the wrong place', '<row><c><v>1</v></row></c>'],
    ['an element in it ends in the wrong place', '<row></row></row>'],
    ['its row 1 is in the wrong place', '<row r="2"/><row r="1"/>'],
    ['its row 1048577 is in the wrong place', '<row r="1048577"/>'],
    ['its row 999999999999 is in the wrong place', '<row r="9999999999999999"/>'],
    ['a cell of its row 1 is in the wrong place', '<row><c r="B1"/><c r="A1"/></row>'],
    ['a cell of its row 1 is in the wrong place', '<row><c r="XFE1"/></row>'],
    ['a cell of its row 1 is in the wrong place', '<row><c r="ZZZZZZZZ1"/></row>'],
    ['a cell in it is outside of a row', '<c r="A1"><v>1</v></c>'],
    ['a number of its row 1 cannot be read', '<row><c><v>1,5</v></c></row>'],
    ['a yes or no of its row 1 cannot be read', '<row><c t="b"><v>yes</v></c></row>'],
    ['a yes or no of its row 1 cannot be read', '<row><c t="b"><v>01</v></c></row>'],
    ['a number in it cannot be read', '<row r="x"/>'],
    ['its elements are nested more than 128 deep', '<a>'.repeat(200)],
    [
      'a text in it is larger than 1 MiB',
      `<row><c t="str"><v>${'<![CDATA[0123456789]]>'.repeat(110_000)}</v></c></row>`,
    ],
    ['a text or tag in it is larger than 1 MiB', `<row><c t="str"><v>${'x'.repeat(1_200_000)}</v></c></row>`],
  ])('when %s', async (reason, sheet) => {
    expect(await workbookRefusal({ sheets: { S: sheet } })).toContain(`The workbook is damaged: ${reason}.`)
  })

  it.each([
    ['its list of sheets is missing', { 'xl/workbook.xml': null, 'xl/workbook7.xml': '', '_rels/.rels': null }],
    ['a part of it ends too early', { 'xl/worksheets/sheet1.xml': xml('<worksheet><sheetData><row>') }],
    ['a part of it ends too early', { 'xl/worksheets/sheet1.xml': '' }],
    ['a part of it has two roots', { 'xl/worksheets/sheet1.xml': xml('<worksheet/><worksheet/>') }],
    [
      'its text is written as "windows-1252", not as UTF-8',
      { 'xl/worksheets/sheet1.xml': '<?xml version="1.0" encoding="windows-1252"?><worksheet/>' },
    ],
    [
      'its text is not UTF-8',
      {
        'xl/worksheets/sheet1.xml': Buffer.from(
          '<worksheet><row><c t="str"><v>\xe9</v></c></row></worksheet>',
          'latin1',
        ),
      },
    ],
  ])('when %s: %o', async (reason, others) => {
    const parts = { sheets: { S: rows }, others }
    expect(await workbookRefusal(parts)).toContain(
      reason.startsWith('its list') ? 'The workbook is damaged' : `The workbook is damaged: ${reason}.`,
    )
  })

  it('without a sheet', async () => {
    expect(await workbookRefusal({ sheets: {} })).toContain('The workbook has no sheet with cells.')
  })

  it('if it is truncated anywhere, or has a changed byte', async () => {
    const bytes = await workbookOf({
      sheets: { S: sheetRows(Array.from({ length: 500 }, (_, row) => [row, `x${row}`])) },
    })
    for (const size of [4, 100, 1000, bytes.length - 100, bytes.length - 1]) {
      expect(await refusal(bytes.subarray(0, size))).toContain('The file is damaged')
    }
    const sheet = bytes.indexOf('xl/worksheets/sheet1.xml')
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(sheet + 400) ^ 0xff, sheet + 400)
    expect(await refusal(changed)).toContain('damaged')
  })
})

describe('a workbook that expands excessively', { timeout: 60_000 }, () => {
  it('in its sheet is refused early', async () => {
    const huge = Buffer.concat([Buffer.from('<worksheet>'), Buffer.alloc(150_000_000, `<x>${' '.repeat(100_000)}</x>`)])
    expect(await workbookRefusal({ sheets: { S: rows }, others: { 'xl/worksheets/sheet1.xml': huge } })).toContain(
      'The file unpacks to more than 250 times its size',
    )
  })

  it('by a text that all of its cells share is refused early', async () => {
    const sharedStrings = `<si><t>${'x'.repeat(32_000)}</t></si>`
    const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`
    expect(await workbookRefusal({ sheets: { S: row.repeat(1000) }, sharedStrings })).toContain(
      'The file unpacks to more than 250 times its size',
    )
  })

  it('by a row of many such texts is refused for the size of the row', async () => {
    const sharedStrings = `<si><t>${'x'.repeat(32_000)}</t></si>`
    const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(1000)}</row>`
    expect(await workbookRefusal({ sheets: { S: row }, sharedStrings })).toContain(
      'Line 1: the row is larger than 16 MiB.',
    )
  })

  it('is refused beyond the limit of the portal', async () => {
    const bytes = await workbookOf({ sheets: { S: sheetRows(Array.from({ length: 5000 }, (_, row) => [row])) } })
    await expect(bytesOf(sourceFile(bytes, { unpackedBytes: 50_000 }))).rejects.toThrow(
      'The file unpacks to more than 50,000 bytes, the limit of this portal.',
    )
  })
})

describe('a file that is not a workbook is refused by its type', () => {
  const compound = (...names: string[]) => {
    const bytes = Buffer.alloc(2048)
    bytes.write('d0cf11e0a1b11ae1', 'hex')
    bytes.writeUInt16LE(9, 30)
    bytes.writeUInt32LE(1, 48)
    for (const [at, name] of ['Root Entry', ...names].entries()) bytes.write(`${name}\0`, 1024 + 128 * at, 'utf16le')
    return bytes
  }

  it.each([
    [
      '.xlsx',
      'This workbook has a password. Save it without a password, as .xlsx or CSV,',
      compound('EncryptedPackage'),
    ],
    ['.xls', 'This is an Excel workbook of before 2007 (.xls). Save it as .xlsx or CSV,', compound('x', 'Workbook')],
    ['.csv', 'This is an Excel workbook of before 2007 (.xls). Save it as .xlsx or CSV,', compound('Book')],
    ['.csv', 'This is an Excel or Word file of before 2007, or one with a password.', compound('WordDocument')],
    ['.xlsx', 'This is an Excel or Word file of before 2007, or one with a password.', compound().subarray(0, 14)],
    [
      '.xlsx',
      'The file is named .xlsx, but it is no workbook. Open it in Excel, and save it as',
      Buffer.from('a,b\n1,2\n'),
    ],
    [
      '.XLSM',
      'The file is named .xlsm, but it is no workbook. Open it in Excel, and save it as',
      Buffer.from('a,b\n1,2\n'),
    ],
    ['.xlsx', 'This is a PDF document, not a text file.', Buffer.from('%PDF-1.7')],
  ])('%s: %s', async (ending, reason, bytes) => {
    expect(await refusal(bytes, `contacts${ending}`)).toContain(reason)
  })

  it('regardless of its name: a workbook in a .csv is read, and one in an archive is not', async () => {
    const bytes = await workbookOf({ sheets: { S: rows } })
    expect(await bytesOf(sourceFile(bytes, { name: 'contacts.csv' }))).toBe('A,B\n1,2\n'.length)
    expect(await refusal(await packed({ 'list.csv': bytes }), 'list.zip')).toContain(
      'The archive contains another archive.',
    )
  })

  it('and has no sheets', async () => {
    const reading = openSourceText(sourceFile(Buffer.from('a,b\n'), { name: 'a.csv' }), { delimiter: ',', sheet: 'S' })
    await expect(reading.next()).rejects.toThrow('This file has no sheets, so it has no sheet "S".')
  })
})
