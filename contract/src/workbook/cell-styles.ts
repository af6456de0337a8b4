import { type FieldFormat, usualCurrency } from '@portico/domain/field-format'
import type { SheetColumn } from './sheet-columns.ts'
import { escapeXml } from './sheet-text.ts'

/** Numbers of the cell styles that every workbook has. */
export const cellStyle = { plain: 0, day: 1, moment: 2, header: 3 } as const

const ownStyles = Object.keys(cellStyle).length
/** The first number of a format that a workbook may define itself. */
const firstFormat = 164
const dateFormats = [String.raw`yyyy\-mm\-dd`, String.raw`yyyy\-mm\-dd\ hh:mm:ss`]

/** The styles of a workbook's cells, collected while its sheets are written. */
export type CellStyles = {
  /** Returns the style number of a column's cells. */
  styleOf: (column: Pick<SheetColumn, 'type' | 'format'>) => number
  /** Returns the part of the workbook that describes all styles requested so far. */
  xml: () => string
}

export function cellStyles(): CellStyles {
  const codes: string[] = []
  return {
    styleOf: ({ type, format }) => {
      if (type === 'day') return cellStyle.day
      if (type === 'date') return cellStyle.moment
      const code = type === 'number' && format ? formatCode(format) : null
      if (code === null) return cellStyle.plain
      if (!codes.includes(code)) codes.push(code)
      return ownStyles + codes.indexOf(code)
    },
    xml: () => stylesXml(codes),
  }
}

/**
 * Returns the format of a field in the language of spreadsheets; null for the general one. Only the general format
 * shows all decimals of a value, so it is used for numbers without fixed decimals; shares and amounts of money have two
 * then.
 */
export function formatCode(format: FieldFormat): string | null {
  const code = numberCode(format)
  const [before, after] = [format.prefix, format.suffix].map((text) => (text ? `"${text.replaceAll('"', '')}"` : ''))
  return before || after ? `${before}${code ?? 'General'}${after}` : code
}

function numberCode({ style, decimals, currency }: FieldFormat): string | null {
  if (style === 'plain' || style === 'decimal') {
    if (decimals === null) return null
    return `${style === 'plain' ? '0' : '#,##0'}${decimalsCode(decimals)}`
  }
  if (style === 'percent') return `0${decimalsCode(decimals ?? 2)}%`
  return `"${currencySign(currency ?? usualCurrency)}"#,##0${decimalsCode(decimals ?? 2)}`
}

const decimalsCode = (decimals: number): string => (decimals === 0 ? '' : `.${'0'.repeat(decimals)}`)

/** Returns the sign before an amount, with the blank that some have after it: `$`, `CHF `. */
function currencySign(currency: string): string {
  const parts = new Intl.NumberFormat('en-US', { style: 'currency', currency }).formatToParts(1)
  const number = parts.findIndex(({ type }) => type === 'integer')
  return parts
    .slice(0, number)
    .map(({ value }) => value)
    .join('')
    .replaceAll('"', '')
}

const xf = (numFmt: number, more = ''): string =>
  `<xf numFmtId="${numFmt}" fontId="0" fillId="0" borderId="0" xfId="0"${more}/>`

function stylesXml(codes: readonly string[]): string {
  const formats = [...dateFormats, ...codes]
  const formatted = ' applyNumberFormat="1"'
  const cells = [
    xf(0),
    xf(firstFormat, formatted),
    xf(firstFormat + 1, formatted),
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>',
    ...codes.map((_, at) => xf(firstFormat + dateFormats.length + at, formatted)),
  ]
  return (
    `<numFmts count="${formats.length}">${formats
      .map((code, at) => `<numFmt numFmtId="${firstFormat + at}" formatCode="${escapeXml(code)}"/>`)
      .join('')}</numFmts>` +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${cells.length}">${cells.join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
  )
}
