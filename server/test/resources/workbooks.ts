import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { SourceFile } from '../../src/modules/imports/reading/source-file.ts'

/** Content of a workbook for tests, as XML within the elements that every workbook has. */
export type WorkbookParts = {
  /** Rows of each sheet, as XML, by its name. */
  sheets: Record<string, string>
  /** Names of sheets that are hidden. */
  hidden?: string[]
  /** `<si>` elements, as XML. */
  sharedStrings?: string | null
  /** Format codes of styles 1, 2 and so on; numbers are formats without a code. */
  formats?: (string | number)[]
  isDate1904?: boolean
  /** Other files, or changed ones; null omits one. */
  others?: Record<string, string | Buffer | null>
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const links = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** Writes an .xlsx file. */
export async function workbookOf(parts: WorkbookParts): Promise<Buffer> {
  return packed({ ...filesOf(parts), ...parts.others })
}

function filesOf({ sheets, hidden = [], sharedStrings = null, formats = [], isDate1904 = false }: WorkbookParts) {
  const names = Object.keys(sheets)
  const list = names.map((name, at) => {
    const state = hidden.includes(name) ? ' state="hidden"' : ''
    return `<sheet name="${escaped(name)}" sheetId="${at + 1}"${state} r:id="rId${at + 1}"/>`
  })
  const relations = names.map((_name, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
  relations.push(relation('rIdStyles', 'styles', 'styles.xml'))
  if (sharedStrings !== null) relations.push(relation('rIdTexts', 'sharedStrings', 'sharedStrings.xml'))
  return {
    '[Content_Types].xml': `${declaration}<Types/>`,
    '_rels/.rels': relationsPart([relation('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr${isDate1904 ? ' date1904="1"' : ''}/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsPart(relations),
    'xl/styles.xml': stylesPart(formats),
    ...(sharedStrings !== null && {
      'xl/sharedStrings.xml': `${declaration}<sst xmlns="${main}">${sharedStrings}</sst>`,
    }),
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${declaration}<worksheet xmlns="${main}"><dimension ref="A1"/><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  }
}

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`

const relationsPart = (relations: string[]) =>
  `${declaration}<Relationships xmlns="${links}">${relations.join('')}</Relationships>`

function stylesPart(formats: readonly (string | number)[]): string {
  const ids = formats.map((format, at) => (typeof format === 'number' ? format : 164 + at))
  const codes = formats.flatMap((format, at) =>
    typeof format === 'number' ? [] : [`<numFmt numFmtId="${164 + at}" formatCode="${escaped(format)}"/>`],
  )
  const styles = ['<xf numFmtId="0"/>', ...ids.map((id) => `<xf numFmtId="${id}"/>`)]
  // Styles of other kinds come before those of cells, and are counted separately.
  return `${declaration}<styleSheet xmlns="${main}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`
}

/** Returns a zip file of the given files. */
export async function packed(files: Record<string, string | Buffer | null>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) {
    if (content !== null) zip.addBuffer(Buffer.from(content), name)
  }
  zip.end()
  const chunks: Buffer[] = []
  zip.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(zip.outputStream, 'end')
  return Buffer.concat(chunks)
}

/** Returns a zip file of that many empty files, whose entries have long names and all refer to the same place. */
export function manyFiles(count: number): Buffer {
  const name = Buffer.from('x'.repeat(200))
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(name.length, 26)
  const local = Buffer.concat([head, name])
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(name.length, 28)
  const entries = Buffer.concat(Array.from({ length: count }, () => [entry, name]).flat())
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, entries, end])
}

type Cell = string | number | boolean | null

/** Returns rows of cells as XML, with the texts in the cells. */
export function sheetRows(rows: readonly (readonly Cell[])[]): string {
  return rows
    .map((cells, row) => {
      const xml = cells.map((cell, column) => cellXml(`${columnName(column)}${row + 1}`, cell))
      return `<row r="${row + 1}">${xml.join('')}</row>`
    })
    .join('')
}

function cellXml(reference: string, cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`
  if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${Number(cell)}</v></c>`
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
}

function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Returns a file to read, in chunks of that size. */
export function sourceFile(
  bytes: Buffer,
  {
    name = 'contacts.xlsx',
    chunkBytes = 65_536,
    unpackedBytes = null as number | null,
    opened = [] as Readable[],
  } = {},
): SourceFile {
  const stream = async (start = 0, end = bytes.length) => {
    const readable = Readable.from(inChunks(bytes.subarray(start, end), chunkBytes))
    opened.push(readable)
    return readable
  }
  return { name, sizeBytes: bytes.length, unpackedBytes, stream }
}

function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
