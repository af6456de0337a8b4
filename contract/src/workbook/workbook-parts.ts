import { type CellStyles, cellStyle } from './cell-styles.ts'
import { columnLetters, type SheetColumn } from './sheet-columns.ts'
import { cellText, escapeXml } from './sheet-text.ts'

// The parts of a workbook (Office Open XML), for the server and the browser, which each pack them in their own way.

/** Media type of a workbook. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const kinds = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Characters that a column shows. */
const widths = { string: 20, id: 12, number: 12, boolean: 9, day: 12, date: 20 } as const
const widestName = 40

/** Returns the name of a sheet's part, counted from 1. */
export const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`

/** Returns the start of a sheet: its columns, and the header, which stays in view. Rows follow, from the second on. */
export function sheetBeginning(columns: readonly SheetColumn[]): string {
  const widthsOf = columns.map(({ name, type }, at) => {
    const width = Math.max(widths[type], Math.min(widestName, name.length + 2))
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`
  })
  const names = columns.map(
    ({ name }, at) =>
      `<c r="${columnLetters(at)}1" s="${cellStyle.header}" t="inlineStr"><is><t xml:space="preserve">${cellText(name)}</t></is></c>`,
  )
  return (
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    // The format requires at least one column.
    `${columns.length > 0 ? `<cols>${widthsOf.join('')}</cols>` : ''}<sheetData><row r="1">${names.join('')}</row>\n`
  )
}

export const sheetEnd = '</sheetData></worksheet>'

/** Returns all parts of a workbook except its sheets, which have these names. */
export function workbookParts(sheets: readonly string[], styles: CellStyles): [path: string, text: string][] {
  const numbers = sheets.map((_, at) => at + 1)
  const stylesId = sheets.length + 1
  return [
    [
      '[Content_Types].xml',
      `${declaration}<Types xmlns="${packages}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${kinds}.sheet.main+xml"/>` +
        `<Override PartName="/xl/styles.xml" ContentType="${kinds}.styles+xml"/>${numbers
          .map((at) => `<Override PartName="/${sheetPath(at)}" ContentType="${kinds}.worksheet+xml"/>`)
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
        .map((name, at) => `<sheet name="${escapeXml(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
        .join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${declaration}<Relationships xmlns="${packages}/relationships">${numbers
        .map((at) => `<Relationship Id="rId${at}" Type="${relations}/worksheet" Target="worksheets/sheet${at}.xml"/>`)
        .join('')}<Relationship Id="rId${stylesId}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', `${declaration}<styleSheet xmlns="${main}">${styles.xml()}</styleSheet>`],
  ]
}
