import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { sheetRows, sourceFile, type WorkbookParts, workbookOf } from '#test/resources/workbooks.ts'
import writeExcelFile from 'write-excel-file/node'
import type { SourceFile } from '../reading/source-file.ts'
import { openSourceText, type SourceReading } from '../reading/source-text.ts'
import type { SheetNotes } from './sheet-writer.ts'

const asCsv: SourceReading = { delimiter: ',', sheet: null }

async function readText(file: SourceFile, reading: Partial<SourceReading> = {}): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of openSourceText(file, { ...asCsv, ...reading })) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** The text of a workbook, which must be the same for chunks of any size. */
async function textOf(parts: WorkbookParts, reading: Partial<SourceReading> = {}): Promise<string> {
  const bytes = await workbookOf(parts)
  const text = await readText(sourceFile(bytes), reading)
  for (const chunkBytes of [1, 7]) expect(await readText(sourceFile(bytes, { chunkBytes }), reading)).toBe(text)
  return text
}

/** The text of the second row's first cell. */
async function cellOf(cell: string, parts: Partial<WorkbookParts> = {}): Promise<string> {
  const text = await textOf({ sheets: { S: `${header}<row r="2">${cell}</row>` }, ...parts })
  return text.replace(/^A,B\n/, '').replace(/,*\n$/, '')
}

const header = sheetRows([['A', 'B']])

describe('a sheet', () => {
  it('is read as delimited text, with each row on the line of its number', async () => {
    const rows = `<row r="2">${'<c r="B2" t="inlineStr"><is><t>Name</t></is></c><c r="D2" t="inlineStr"><is><t>City</t></is></c>'}</row>
      <row r="3"><c r="B3"/><c r="D3" s="4"/></row><row r="5"><c r="B5"><v>7</v></c></row>
      <row r="6"><c r="B6"><v>1</v></c><c r="F6"><v>2</v></c><c r="G6"/></row>`
    expect(await textOf({ sheets: { S: rows } })).toBe('\n,Name,,City\n\n\n,7,,\n,1,,,,2\n')
  })

  it('may lack row and cell numbers, and have prefixes and spaces', async () => {
    const rows =
      '<x:row ><x:c t = "n" ><x:v>1</x:v></x:c\n><x:c><x:v>2</x:v></x:c></x:row><x:row><x:c/><x:c><x:v>3</x:v></x:c></x:row>'
    expect(await textOf({ sheets: { S: rows } })).toBe('1,2\n,3\n')
  })

  it.each([
    [',', 'a|b,"c,d","say ""hi""","two\nlines"\n'],
    ['|', '"a|b"|c,d|"say ""hi"""|"two\nlines"\n'],
    ['\t', 'a|b\tc,d\t"say ""hi"""\t"two\nlines"\n'],
    [';', 'a|b;c,d;"say ""hi""";"two\nlines"\n'],
  ] as const)('has its texts quoted where the delimiter %j needs it', async (delimiter, text) => {
    const rows = sheetRows([['a|b', 'c,d', 'say "hi"', 'two\nlines']])
    expect(await textOf({ sheets: { S: rows } }, { delimiter })).toBe(text)
  })

  it('reads columns beyond Z', async () => {
    const names = Array.from({ length: 760 }, (_, column) => `c${column}`)
    expect(await textOf({ sheets: { S: sheetRows([names]) } })).toBe(`${names.join(',')}\n`)
  })

  it('without cells is an empty text', async () => {
    expect(await textOf({ sheets: { S: '' } })).toBe('')
  })
})

describe('a cell', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['12', '12'],
    ['-12.5', '-12.5'],
    ['0.1', '0.1'],
    ['.5', '0.5'],
    ['0.30000000000000004', '0.3'],
    ['123456789012345678', '123456789012346000'],
    ['1E3', '1000'],
    ['1.5e-7', '0.00000015'],
    ['-2.5E+20', '-250000000000000000000'],
    ['1e300', '1e+300'],
    ['4111111111111111', '4111111111111110'],
  ])('with the number %s is %s', async (written, shown) => {
    expect(await cellOf(`<c r="A2"><v>${written}</v></c>`)).toBe(shown)
  })

  it.each([
    ['true', '<c r="A2" t="b"><v>1</v></c>'],
    ['false', '<c r="A2" t="b"><v>0</v></c>'],
    ['true', '<c r="A2" t="b"><v>true</v></c>'],
    ['false', '<c r="A2" t="b"><v>FALSE</v></c>'],
    ['false', '<c r="A2" t="b"><v> 0 </v></c>'],
    ['', '<c r="A2" t="e"><v>#N/A</v></c>'],
    ['', '<c r="A2" t="e"><f>1/0</f><v>#DIV/0!</v></c>'],
    ['10', '<c r="A2"><f>SUM(B1:B9)</f><v>10</v></c>'],
    ['Ada & Bob', '<c r="A2" t="str"><f>A1&amp;B1</f><v>Ada &amp; Bob</v></c>'],
    ['', '<c r="A2"><f>A1</f></c>'],
    ['Zoë', '<c r="A2" t="inlineStr"><is><t>Zoë</t></is></c>'],
    ['Adam', '<c r="A2" t="inlineStr"><is><r><rPr><b/></rPr><t>Ad</t></r><r><t>am</t></r></is></c>'],
    ['東京', '<c r="A2" t="inlineStr"><is><r><t>東京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c>'],
    ['"<b> & ""x"""', '<c r="A2" t="inlineStr"><is><t><![CDATA[<b> & ]]>&quot;x&#34;</t></is></c>'],
    ['a😀é', '<c r="A2" t="inlineStr"><is><t>a&#x1F600;&#233;</t></is></c>'],
    ['"a\r\nb"', '<c r="A2" t="inlineStr"><is><t>a_x000D_\nb</t></is></c>'],
    ['"a\nb"', '<c r="A2" t="inlineStr"><is><t>a\r\nb</t></is></c>'],
    ['_x000D_ _xyz', '<c r="A2" t="inlineStr"><is><t>_x005F_x000D_ _xyz</t></is></c>'],
    ['ab', '<c r="A2" t="inlineStr"><is><t>a<!-- no > t --><?no t?>b</t></is></c>'],
    ['007', '<c r="A2" t="str"><v>007</v></c>'],
    ['2024-01-31', '<c r="A2" t="d"><v>2024-01-31T00:00:00</v></c>'],
    ['2024-01-31 10:15:00', '<c r="A2" t="d"><v>2024-01-31T10:15:00</v></c>'],
  ])('is %j when written as %s', async (shown, cell) => {
    expect(await cellOf(cell)).toBe(shown)
  })

  it('merged with others has its value in the first', async () => {
    const rows = `${header}<row r="2"><c r="A2"><v>1</v></c><c r="B2"/></row>`
    expect(await textOf({ sheets: { S: rows } })).toBe('A,B\n1,\n')
  })
})

describe('a number with a date format', () => {
  it.each<[format: string | number, number: string, shown: string]>([
    [14, '45322', '2024-01-31'],
    [15, '45322.0', '2024-01-31'],
    [17, '1', '1900-01-01'],
    [14, '59', '1900-02-28'],
    [14, '60', '1900-02-29'],
    [14, '61', '1900-03-01'],
    [14, '2958465', '9999-12-31'],
    [14, '2958466', '2958466'],
    [14, '-1', '-1'],
    [22, '45322', '2024-01-31 00:00:00'],
    [22, '45322.4375', '2024-01-31 10:30:00'],
    [14, '45322.4375', '2024-01-31 10:30:00'],
    [22, '45322.99999999999', '2024-02-01 00:00:00'],
    [22, '45322.000005787', '2024-01-31 00:00:00.500'],
    [20, '0.4375', '10:30:00'],
    [18, '0', '0:00:00'],
    [21, '45322.4375', '2024-01-31 10:30:00'],
    [45, '0.001', '0:01:26.400'],
    [46, '1.25', '30:00:00'],
    [47, '0.5', '12:00:00'],
    ['yyyy\\-mm\\-dd', '45322', '2024-01-31'],
    ['[$-409]d-mmm-yy;@', '45322', '2024-01-31'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '45322', '2024-01-31'],
    ['dd/mm/yyyy hh:mm', '45322.5', '2024-01-31 12:00:00'],
    ['mmm', '45322', '2024-01-31'],
    ['h:mm AM/PM', '0.75', '18:00:00'],
    ['[h]:mm:ss', '1.5', '36:00:00'],
    ['[Red]mm:ss.0', '0.5', '12:00:00'],
    ['General', '45322', '45322'],
    ['Standard', '45322', '45322'],
    ['0.00', '45322.5', '45322.5'],
    ['#,##0.00 "days"', '45322', '45322'],
    ['0.00E+00', '45322', '45322'],
    ['[Red]-0', '45322', '45322'],
    ['0\\d', '45322', '45322'],
    ['"d" 0_d*m', '45322', '45322'],
    ['@', '45322', '45322'],
    ['0%', '0.5', '0.5'],
    ['00000', '1234', '01234'],
    ['00000', '123456', '123456'],
    ['00000', '12.5', '12.5'],
  ])('%j shows %s as %s', async (format, number, shown) => {
    expect(await cellOf(`<c r="A2" s="1"><v>${number}</v></c>`, { formats: [format] })).toBe(shown)
  })

  it.each([
    ['0', '1904-01-01'],
    ['43860', '2024-01-31'],
    ['43860.5', '2024-01-31 12:00:00'],
    ['2957003', '9999-12-31'],
  ])('counts from 1904 if the workbook does: %s is %s', async (number, shown) => {
    const parts = { formats: [14], isDate1904: true }
    expect(await cellOf(`<c r="A2" s="1"><v>${number}</v></c>`, parts)).toBe(shown)
  })
})

describe('shared strings', () => {
  const table = (count: number) => Array.from({ length: count }, (_, at) => `<si><t>text, ${at}</t></si>`).join('')
  const cell = (index: number) => `<c t="s"><v>${index}</v></c>`

  it('come from the table, with several runs joined, and may be empty', async () => {
    const sharedStrings = `<si><t>A</t></si><si><r><t xml:space="preserve">B </t></r><r><t>b</t></r><rPh><t>x</t></rPh></si><si/><si><t/></si>`
    const rows = `<row>${[0, 1].map(cell).join('')}</row><row>${[2, 1, 3].map(cell).join('')}</row>`
    expect(await textOf({ sheets: { S: rows }, sharedStrings })).toBe('A,B b\n,B b\n')
  })

  it.each([0, 100, 10_000, 1_000_000])('are the same with %i bytes of memory, in any order', async (memoryBytes) => {
    const order = Array.from({ length: 900 }, (_, at) => (at * 577) % 900)
    const rows = order.map((index) => `<row>${cell(index)}</row>`).join('')
    const bytes = await workbookOf({ sheets: { S: rows }, sharedStrings: table(900) })
    const before = await temporaryFiles()
    const text = await readText(sourceFile(bytes), { memoryBytes })
    expect(text).toBe(order.map((index) => `"text, ${index}"\n`).join(''))
    expect(await temporaryFiles()).toEqual(before)
  })

  it('are read one by one where they are long, in any order', async () => {
    const texts = Array.from({ length: 200 }, (_, at) => (at % 3 === 0 ? String(at) : `${at} `.repeat(600).trim()))
    const order = Array.from({ length: 400 }, (_, at) => (at * 77) % 200)
    const rows = order.map((index) => `<row>${cell(1)}${cell(index)}</row>`).join('')
    const sharedStrings = texts.map((text) => `<si><t>${text}</t></si>`).join('')
    const text = await readText(sourceFile(await workbookOf({ sheets: { S: rows }, sharedStrings })), {
      memoryBytes: 0,
    })
    const lines = order.map((index) => `${texts[1]},${texts[index]}\n`)
    // A difference would be megabytes long.
    expect(text === lines.join('')).toBe(true)
  })

  it('are read only as far as the rows need', async () => {
    const opened: Readable[] = []
    const sharedStrings = Array.from({ length: 100_000 }, (_, at) => `<si><t>${(at * at) % 99_991}</t></si>`).join('')
    const rows = `<row>${cell(0)}</row>`.repeat(60_000)
    const file = sourceFile(await workbookOf({ sheets: { S: rows }, sharedStrings }), { chunkBytes: 1000, opened })
    for await (const chunk of openSourceText(file, { ...asCsv, memoryBytes: 0 })) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    // The stream of the table was opened last, and closed long before its end.
    expect(opened.at(-1)?.readableEnded).toBe(false)
    expect(opened.every((stream) => stream.destroyed)).toBe(true)
  })

  it.each([
    ['a cell refers to a text that is not there', '1', '<si><t>x</t></si>'],
    ['a cell refers to a text that is not there', '0', null],
    ['a cell refers to a text that is not there', '99999999999999', '<si><t>x</t></si>'],
    ['a number in it cannot be read', '-1', '<si><t>x</t></si>'],
  ])('are refused when %s: %s', async (reason, index, sharedStrings) => {
    const rows = `<row><c t="s"><v>${index}</v></c></row>`
    await expect(textOf({ sheets: { S: rows }, sharedStrings })).rejects.toThrow(`The workbook is damaged: ${reason}.`)
  })
})

const temporaryFiles = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('portico-workbook-'))

describe('the sheets of a workbook', () => {
  const sheets = {
    Cover: sheetRows([['secret']]),
    'Leads & more': sheetRows([['A'], [1]]),
    Old: sheetRows([['B'], [2]]),
  }

  it('are chosen by name, in any letter case, or else the first visible one', async () => {
    expect(await textOf({ sheets, hidden: ['Cover'] })).toBe('A\n1\n')
    expect(await textOf({ sheets, hidden: ['Cover'] }, { sheet: 'Cover' })).toBe('secret\n')
    expect(await textOf({ sheets }, { sheet: 'leads & MORE ' })).toBe('A\n1\n')
    expect(await textOf({ sheets, hidden: Object.keys(sheets) })).toBe('secret\n')
  })

  it('are listed if the requested one does not exist', async () => {
    await expect(textOf({ sheets }, { sheet: 'New' })).rejects.toThrow(
      'The workbook has no sheet "New". Its sheets: "Cover", "Leads & more", "Old".',
    )
  })

  it('are found by the paths in the workbook, regardless of folder names', async () => {
    const relations = (target: string, type: string) =>
      `<Relationships><Relationship Id="r" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/${type}" Target="${target}"/></Relationships>`
    const others = {
      '_rels/.rels': relations('/xl/workbook2.xml', 'officeDocument'),
      'xl/workbook.xml': null,
      'xl/workbook2.xml': '\uFEFF<workbook xmlns:q="x"><sheets><sheet q:id="r" name="S"/></sheets></workbook>',
      'xl/_rels/workbook2.xml.rels': relations('../Data/Sheet.xml', 'worksheet'),
      'data/sheet.xml': Buffer.from(`\uFEFF<worksheet><sheetData>${header}</sheetData></worksheet>`, 'utf16le'),
    }
    expect(await textOf({ sheets: {}, others })).toBe('A,B\n')
  })

  it('have notes on hidden rows, cells with errors, and formulas without a stored result', async () => {
    const rows = `${header}<row r="2" hidden="1"><c><v>1</v></c><c t="e"><v>#N/A</v></c></row><row r="3" hidden="true"/>
      <row r="4" hidden="0"><c><v>1</v></c></row><row r="5" hidden="1"><c t="e"><v>#REF!</v></c><c><v>1</v></c></row>
      <row r="6"><c><v>1</v></c><c><f>1+1</f><v></v></c></row>
      <row r="7"><c><f t="shared" si="0"/></c><c><v>1</v></c></row><row r="8"><c><v>1</v></c><c t="str"><f>""</f><v></v></c></row>`
    const notes: SheetNotes = { mostRows: 10, hiddenRows: 0, errorCells: 0 }
    const file = sourceFile(await workbookOf({ sheets: { S: rows } }))
    expect(await readText(file, { notes })).toBe('A,B\n1,\n\n1,\n,1\n1,\n,1\n1,\n')
    expect(notes).toEqual({ mostRows: 10, hiddenRows: 2, errorCells: 4 })
    const fewer = { mostRows: 1, hiddenRows: 0, errorCells: 0 }
    await readText(file, { notes: fewer })
    expect(fewer).toMatchObject({ hiddenRows: 1, errorCells: 1 })
  })
})

describe('a workbook written by other software', () => {
  it('has the same values', async () => {
    const day = new Date(Date.UTC(2024, 0, 31))
    const bytes = await writeExcelFile(
      [
        ['Name', 'Born', 'Seen', 'Amount', 'Member'].map((value) => ({ value, fontWeight: 'bold' as const })),
        [
          { value: 'Zoë "Z" <Łódź> & sons,\nLtd.', type: String },
          { value: day, type: Date, format: 'mm/dd/yyyy' },
          { value: new Date(day.getTime() + 37_845_000), type: Date, format: 'yyyy-mm-dd hh:mm:ss' },
          { value: 1234.5678, type: Number, format: '#,##0.00' },
          { value: true, type: Boolean },
        ],
        [null, null, null, { value: -0.1 + -0.2, type: Number }, { value: false, type: Boolean }],
      ],
      { sheet: 'People' },
    ).toBuffer()
    const file = sourceFile(bytes)
    expect(await readText(file, { sheet: 'People' })).toBe(
      'Name,Born,Seen,Amount,Member\n"Zoë ""Z"" <Łódź> & sons,\nLtd.",2024-01-31,2024-01-31 10:30:45,1234.5678,true\n,,,-0.3,false\n',
    )
  })
})
