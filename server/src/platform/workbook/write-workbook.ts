import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { cellStyle, nextSheetMark } from './sheet-format.ts'
import { type CellType, columnLetters } from './workbook-cells.ts'

type Sheet = { name: string; columns: readonly { name: string; type: CellType }[] }

/** Media type of a workbook. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

// The fastest: stronger ones take twice the time for a slightly smaller file.
const compressionLevel = 1

/**
 * A workbook, written while it is read: `rows` are those of `SheetFormat`. Each sheet has the header, which stays in sight; the
 * rows that one cannot take are in a further one.
 */
export function createWorkbook(rows: Readable, { name, columns }: Sheet): Readable {
  const zip = new ZipFile()
  // The types only declare a writable stream; the library returns one that is readable too.
  const content = zip.outputStream as Readable
  const fail = (error: unknown): void => void content.destroy(error instanceof Error ? error : new Error(String(error)))
  rows.on('error', fail)
  writeParts(zip, rows, sheetName(name), columns).catch(fail)
  return content
}

async function writeParts(zip: ZipFile, rows: Readable, name: string, columns: Sheet['columns']): Promise<void> {
  const cut = cutSheets(rows)
  const beginning = sheetBeginning(columns)
  let sheets = 0
  for (let isMore = true; isMore;) {
    sheets++
    const sheet = Readable.from(oneSheet(beginning, cut))
    zip.addReadStream(sheet, `xl/worksheets/sheet${sheets}.xml`, { compressionLevel })
    // Rejects with an error of the sheet, too.
    await once(sheet, 'close').then(() => sheet.errored && Promise.reject(sheet.errored))
    isMore = cut.isMore()
  }
  const names = Array.from({ length: sheets }, (_, at) => (at === 0 ? name : `${name} ${at + 1}`))
  for (const [path, text] of otherParts(names)) zip.addBuffer(Buffer.from(text), path)
  zip.end()
}

async function* oneSheet(beginning: string, cut: ReturnType<typeof cutSheets>): AsyncGenerator<Buffer> {
  yield Buffer.from(beginning)
  for (let piece = await cut.next(); piece !== null; piece = await cut.next()) yield piece
  yield Buffer.from('</sheetData></worksheet>')
}

/** The pieces of one sheet after the other: `next` returns null at the end of each. */
function cutSheets(rows: Readable) {
  const pieces = (rows as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let rest: Buffer | null = null
  return {
    /** Whether another sheet begins, after the end of one. */
    isMore: (): boolean => rest !== null,
    next: async (): Promise<Buffer | null> => {
      let piece: Buffer | null = rest
      rest = null
      if (piece === null) {
        const { done, value } = await pieces.next()
        if (done) return null
        piece = value
      }
      const end = piece.indexOf(nextSheetMark)
      if (end === -1) return piece
      if (end > 0) {
        rest = piece.subarray(end)
        return piece.subarray(0, end)
      }
      rest = piece.subarray(1)
      return null
    },
  }
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const kinds = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Characters that a column shows. */
const widths = { string: 20, id: 12, number: 12, boolean: 9, day: 12, date: 20 } as const
const widestName = 40

function sheetBeginning(columns: Sheet['columns']): string {
  const widthsOf = columns.map(({ name, type }, at) => {
    const width = Math.max(widths[type], Math.min(widestName, name.length + 2))
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`
  })
  const names = columns.map(
    ({ name }, at) =>
      `<c r="${columnLetters(at)}1" s="${cellStyle.header}" t="inlineStr"><is><t xml:space="preserve">${escape(name)}</t></is></c>`,
  )
  return (
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${widthsOf.join('')}</cols><sheetData><row r="1">${names.join('')}</row>\n`
  )
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as XML; names of fields have no control characters. */
const escape = (text: string): string =>
  text.replaceAll(/_(?=x[0-9A-F]{4}_)/gi, '_x005F_').replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? '')

/** Names of sheets have at most 31 characters, room for a number included, and some signs are not allowed in them. */
function sheetName(name: string): string {
  const allowed = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}[\]:*?/\\]/gu, '_')
    .slice(0, 28)
    .toWellFormed()
    .replaceAll(/^'|'$/g, '_')
  return allowed.trim() === '' ? 'Sheet' : allowed
}

function otherParts(sheets: readonly string[]): [path: string, text: string][] {
  const numbers = sheets.map((_, at) => at + 1)
  const styles = sheets.length + 1
  return [
    [
      '[Content_Types].xml',
      `${declaration}<Types xmlns="${packages}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${kinds}.sheet.main+xml"/>` +
        `<Override PartName="/xl/styles.xml" ContentType="${kinds}.styles+xml"/>${numbers
          .map((at) => `<Override PartName="/xl/worksheets/sheet${at}.xml" ContentType="${kinds}.worksheet+xml"/>`)
          .join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      `${declaration}<Relationships xmlns="${packages}/relationships">` +
        `<Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${sheets
        .map((name, at) => `<sheet name="${escape(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
        .join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${declaration}<Relationships xmlns="${packages}/relationships">${numbers
        .map((at) => `<Relationship Id="rId${at}" Type="${relations}/worksheet" Target="worksheets/sheet${at}.xml"/>`)
        .join('')}<Relationship Id="rId${styles}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', stylesText()],
  ]
}

/** Formats 164 and 165 are the first that a workbook may define itself; the cells' are those of `cellStyle`. */
function stylesText(): string {
  return (
    `${declaration}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>` +
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4">' +
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>' +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  )
}
