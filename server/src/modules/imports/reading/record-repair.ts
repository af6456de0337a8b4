/**
 * The slow path for the few records that PostgreSQL would misread: those with a quote inside an unquoted cell, text
 * other than UTF-8, cells with only white space, and letters that are not composed (NFC). Also turns a record's bytes
 * into strings, for the header and the rows set aside.
 */
import { isUtf8 } from 'node:buffer'
import { normalizeText } from '@portico/domain/unicode'
import { isBlankCell } from './blank-cells.ts'
import { decodeCell } from './cell-values.ts'
import type { ReadCell } from './column-readings.ts'
import { fault, type RecordBlock } from './record-block.ts'
import { QUOTE } from './record-scanner.ts'
import type { Delimiter } from './separator-line.ts'

/** A record ready for PostgreSQL: the bytes [start, end), cell c ending before cellEnds[firstCell + c]. */
export type RecordBytes = { bytes: Buffer; start: number; end: number; cellEnds: Int32Array; firstCell: number }

const windows1252 = new TextDecoder('windows-1252')

/** UTF-8 of each byte of Windows-1252 from 0x80 on. */
const utf8OfHighByte = Array.from({ length: 0x80 }, (_, index) => [
  ...Buffer.from(windows1252.decode(Uint8Array.of(0x80 + index))),
])

/**
 * A Windows-1252 byte takes up to three bytes of UTF-8, a quote two, and a composed text up to three times its bytes,
 * with a joiner after each 30 marks; each cell may get two quotes.
 */
const MAX_GROWTH = 4

/**
 * Rewrites a row: cells with a reading become the values read, Windows-1252 becomes UTF-8, blank cells become empty,
 * letters are composed, and a cell with stray quotes is quoted.
 */
export function repairRow(
  block: RecordBlock,
  row: number,
  columns: number,
  readers: readonly (ReadCell | undefined)[] = [],
): RecordBytes {
  const start = block.starts[row] ?? 0
  const end = block.ends[row] ?? 0
  const faults = block.faults[row] ?? 0
  const bytes = Buffer.allocUnsafe(MAX_GROWTH * (end - start) + 3 * columns)
  const cellEnds = new Int32Array(columns)
  let cellStart = start
  let at = 0
  for (let cell = 0; cell < columns; cell++) {
    const cellEnd = block.cellEnds[row * columns + cell] ?? end
    const read = { source: block.bytes, start: cellStart, end: cellEnd }
    const reader = readers[cell]
    if (reader) {
      const text = decodeCell(block.bytes.subarray(cellStart, cellEnd), (faults & fault.notUtf8) === 0)
      at += bytes.write(reader(text) ?? '', at, 'latin1')
    } else if (!holdsSpaceOnly(read, faults)) {
      at = writeCell(bytes, at, faults & fault.notComposed ? composed(read) : read, faults)
    }
    cellEnds[cell] = at
    // The delimiter; after the last cell it is the line end, which is not part of the record.
    bytes[at++] = block.bytes[cellEnd] ?? 0
    cellStart = cellEnd + 1
  }
  return { bytes, start: 0, end: at - 1, cellEnds, firstCell: 0 }
}

type Cell = { source: Buffer; start: number; end: number }

/** Returns whether a cell has only white space. PostgreSQL also reads empty quotes as empty. */
function holdsSpaceOnly({ source, start, end }: Cell, faults: number): boolean {
  if ((faults & fault.blankCell) === 0 || (source[start] === QUOTE && end - start === 2)) return false
  return isBlankCell(source, start, end, (faults & fault.notUtf8) === 0)
}

/**
 * Returns the cell in NFC, quoted if this produces a special character: a Greek question mark becomes a semicolon,
 * which may be the delimiter.
 */
function composed({ source, start, end }: Cell): Cell {
  const text = source.toString('utf8', start, end)
  const result = normalizeText(text, 'NFC')
  const needsQuotes = result !== text && !text.startsWith('"') && result.includes(';')
  const bytes = Buffer.from(needsQuotes ? `"${result.replaceAll('"', '""')}"` : result)
  return { source: bytes, start: 0, end: bytes.length }
}

function writeCell(target: Buffer, from: number, cell: Cell, faults: number): number {
  const { source, start, end } = cell
  const needsQuotes = (faults & fault.strayQuote) !== 0 && hasStrayQuote(cell)
  const firstForeign = faults & fault.notUtf8 ? 0x80 : 0x100
  let at = from
  if (needsQuotes) target[at++] = QUOTE
  for (let index = start; index < end; index++) {
    // The `!` here and below: the index is inside the cell, and each high byte has an entry.
    const byte = source[index]!
    if (byte < firstForeign) {
      if (byte === QUOTE && needsQuotes) target[at++] = QUOTE
      target[at++] = byte
    } else {
      for (const part of utf8OfHighByte[byte - 0x80]!) target[at++] = part
    }
  }
  if (needsQuotes) target[at++] = QUOTE
  return at
}

function hasStrayQuote({ source, start, end }: Cell): boolean {
  if (source[start] === QUOTE) return false
  for (let index = start; index < end; index++) if (source[index] === QUOTE) return true
  return false
}

/** A file has at most 1,000 columns; a row of millions of delimiters must not become as many strings. */
const MAX_CELLS_READ = 2000

/**
 * Returns the cells of any record as text, even a malformed one; everything after the first 2,000 stays together in the
 * last one.
 */
export function readCells(record: Buffer, delimiter: Delimiter): string[] {
  const text = isUtf8(record) ? record.toString() : windows1252.decode(record)
  const cells: string[] = []
  let at = 0
  while (cells.length < MAX_CELLS_READ - 1) {
    const closing = text[at] === '"' ? closingQuote(text, at) : at
    const end = text.indexOf(delimiter, closing)
    cells.push(cellText(text.slice(at, end === -1 ? undefined : end)))
    if (end === -1) return cells
    at = end + 1
  }
  cells.push(cellText(text.slice(at)))
  return cells
}

function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at === -1 ? text.length : at
}

/** Removes the quotes of a quoted cell; a cell with text after its closing quote is returned unchanged. */
function cellText(cell: string): string {
  const isQuoted = cell.length > 1 && cell.startsWith('"') && closingQuote(cell, 0) === cell.length - 1
  return isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell
}
