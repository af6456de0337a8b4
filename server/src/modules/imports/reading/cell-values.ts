import { isAscii } from 'node:buffer'
import { beginsBlank, isBlankCell, valueEnd, valueStart } from './blank-cells.ts'
import { fault, type RecordBlock } from './record-block.ts'
import type { ReadingZone, ValueTest } from './value-types.ts'

/**
 * Bytes [start, end) of a value: a cell without its quotes and surrounding white space; `isInAscii`: that white space
 * is ASCII.
 */
export type CellValue = { start: number; end: number; isInAscii: boolean }

/** Returns the cell of a row with its quotes, as bytes [start, end). */
export function cellBounds({ starts, cellEnds }: RecordBlock, row: number, column: number, width: number) {
  const cell = row * width + column
  // The `!`: every cell of every row has an offset.
  return { start: column === 0 ? starts[row]! : cellEnds[cell - 1]! + 1, end: cellEnds[cell]! }
}

const windows1252 = new TextDecoder('windows-1252')

/** Returns the cell of a row as text, without its quotes. */
export function cellText(block: RecordBlock, row: number, column: number, width: number): string {
  const { start, end } = cellBounds(block, row, column, width)
  const isUtf8 = ((block.faults[row] ?? 0) & fault.notUtf8) === 0
  return decodeCell(block.bytes.subarray(start, end), isUtf8)
}

/** Returns the text of the bytes of a cell, without its quotes. */
export function decodeCell(bytes: Buffer, isUtf8: boolean): string {
  const text = isUtf8 ? bytes.toString() : windows1252.decode(bytes)
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
}

export function cellValue(block: RecordBlock, row: number, column: number, width: number): CellValue {
  const { bytes, faults } = block
  const { start: from, end: to } = cellBounds(block, row, column, width)
  const isUtf8 = ((faults[row] ?? 0) & fault.notUtf8) === 0
  const start = valueStart(bytes, from, to, isUtf8)
  const end = Math.max(start, valueEnd(bytes, from, to, isUtf8))
  return { start, end, isInAscii: isAscii(bytes.subarray(from, start)) && isAscii(bytes.subarray(end, to)) }
}

/** Returns whether the cell of a row has more than white space. */
export function hasValue(block: RecordBlock, row: number, column: number, width: number): boolean {
  const { start, end } = cellBounds(block, row, column, width)
  // The `!`: a cell that is not empty has a first byte. Most begin with a letter or a digit, and need no further check.
  if (start === end || beginsBlank[block.bytes[start]!] === 0) return start < end
  return !isBlankCell(block.bytes, start, end, ((block.faults[row] ?? 0) & fault.notUtf8) === 0)
}

/**
 * Returns whether a value can be loaded: around numbers, dates and booleans, PostgreSQL only ignores ASCII white space.
 */
export const fitsWithSpace = (
  bytes: Uint8Array,
  { start, end, isInAscii }: CellValue,
  test: ValueTest,
  timeZone: ReadingZone,
): boolean => isInAscii && test(bytes, start, end, timeZone)

// Enough to find the cell; the report has the whole value.
const shownBytes = 60

/** Returns the beginning of a value, for a reason in words. */
export function shownValue(
  { bytes }: Pick<RecordBlock, 'bytes'>,
  { start, end }: Pick<CellValue, 'start' | 'end'>,
): string {
  const text = bytes.toString('utf8', start, Math.min(end, start + shownBytes))
  return end - start > shownBytes ? `${text}…` : text
}
