/** Cells that do not fit the type of the field they feed are left out, or their rows are set aside. */
import type { FieldType } from '@portico/contract/contacts'
import type { ColumnReading } from '@portico/contract/imports'
import { momentYears } from '@portico/domain/moment-years'
import { beginsBlank } from './blank-cells.ts'
import { cellBounds, cellText, cellValue, fitsWithSpace, hasValue, shownValue } from './cell-values.ts'
import { readerOf } from './column-readings.ts'
import { fault, type RecordBlock } from './record-block.ts'
import type { RefuseRow } from './row-refusal.ts'
import { fitsType, type ReadingZone, valueTests } from './value-types.ts'

/**
 * A column of the file that feeds a field of this type, which is not widened, and the reading of its cells if one was
 * chosen. `timeZone`: of the account; absent in plans of earlier releases, which accepted moments of any year.
 */
export type StrictColumn = { position: number; type: FieldType; reading?: ColumnReading; timeZone?: string }

/** A cell that does not fit: its row in the block, and its column. */
export type MisfitCell = StrictColumn & { row: number }

const SPACE = 0x20
const QUOTE = 0x22

/** Returns whether the cell of a row fits its field. An empty cell, or one with only white space, fits any field. */
export const fitsField = (block: RecordBlock, row: number, column: StrictColumn, width: number): boolean =>
  fitsInZone(block, row, column, width, column.timeZone ?? null)

function fitsInZone(
  block: RecordBlock,
  row: number,
  { position, type, reading }: StrictColumn,
  width: number,
  timeZone: ReadingZone,
): boolean {
  const { bytes } = block
  if (reading) return readerOf(reading, timeZone)(cellText(block, row, position, width)) !== null
  const { start, end } = cellBounds(block, row, position, width)
  // The `!`: a cell that is not empty has a first byte.
  const isQuoted = end > start && bytes[start]! === QUOTE
  const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end]
  if (from >= to || valueTests[type](bytes, from, to, timeZone)) return true
  if (beginsBlank[bytes[from]!] === 0 && beginsBlank[bytes[to - 1]!] === 0 && bytes[to - 1]! < 0x80) return false
  const value = cellValue(block, row, position, width)
  return value.start === value.end || fitsWithSpace(bytes, value, valueTests[type], timeZone)
}

/** Returns the cells of a block that do not fit, row by row. */
export function findMisfits(block: RecordBlock, columns: readonly StrictColumn[], width: number): MisfitCell[] {
  const found: MisfitCell[] = []
  for (let row = 0; row < block.rows; row++) {
    for (const column of columns) if (!fitsField(block, row, column, width)) found.push({ ...column, row })
  }
  return found
}

/** Empties the cells of a block that do not fit. */
export function emptyMisfits(block: RecordBlock, columns: readonly StrictColumn[], width: number): void {
  for (const { row, position } of findMisfits(block, columns, width)) {
    const { start, end } = cellBounds(block, row, position, width)
    block.bytes.fill(SPACE, start, end)
    // The `!`: each row has its faults. A blank cell is written as an empty one.
    block.faults[row]! |= fault.blankCell
  }
}

/** Refuses a row for its first cell that does not fit, which is passed to `onRefused`. */
export function refuseMisfits(
  names: readonly string[],
  columns: readonly StrictColumn[],
  onRefused: (column: StrictColumn) => void = () => {},
): RefuseRow {
  return (block, row) => {
    const misfit = columns.find((column) => !fitsField(block, row, column, names.length))
    if (!misfit) return null
    onRefused(misfit)
    return misfitReason(block, { ...misfit, row }, names)
  }
}

/**
 * Refuses a row that would have no values left: its cells in the loaded columns are empty or left out. `onRefused` gets
 * the columns of the latter.
 */
export function refuseEmptied(
  names: readonly string[],
  { loaded, cells }: { loaded: readonly number[]; cells: readonly StrictColumn[] },
  onRefused: (column: StrictColumn) => void = () => {},
): RefuseRow {
  const width = names.length
  const others = loaded.filter((position) => cells.every((column) => column.position !== position))
  return (block, row) => {
    if (others.some((position) => hasValue(block, row, position, width))) return null
    const misfits: MisfitCell[] = []
    for (const column of cells) {
      if (!fitsField(block, row, column, width)) misfits.push({ ...column, row })
      else if (hasValue(block, row, column.position, width)) return null
    }
    if (misfits.length === 0) return null
    for (const column of cells) if (misfits.some(({ position }) => position === column.position)) onRefused(column)
    return `${misfitReasons(block, misfits, names)} The row has no other value.`
  }
}

/** Maximum number of reasons for one row; the report shows all its cells. */
const shownMisfits = 10

/** Returns why cells of one row do not fit. */
export function misfitReasons(block: RecordBlock, cells: readonly MisfitCell[], names: readonly string[]): string {
  const reasons = cells.slice(0, shownMisfits).map((cell) => misfitReason(block, cell, names))
  const more = cells.length - reasons.length
  if (more > 0) reasons.push(`${more} more ${more === 1 ? 'cell does' : 'cells do'} not fit.`)
  return reasons.join(' ')
}

/**
 * Returns why a cell does not fit, in words for users. It begins with a fixed word, and a spreadsheet never takes it
 * for a formula.
 */
function misfitReason(block: RecordBlock, cell: MisfitCell, names: readonly string[]): string {
  const { row, position, type } = cell
  const value = cellValue(block, row, position, names.length)
  // The value would fit if moments of any year did.
  const isOfAnyYears = fitsInZone(block, row, cell, names.length, null)
  const text = misfitText(type, block.bytes.toString('utf8', value.start, value.end), isOfAnyYears)
  return `In ${names[position]}, "${shownValue(block, value)}" ${text}.`
}

/** Returns a reason without the value it names, for people who may not read the file. */
export function withoutMisfitValue(reason: string): string {
  const start = reason.indexOf(', "')
  const end = reason.lastIndexOf('" ')
  const text = reason.slice(end + 2)
  const isMisfit = [...Object.values(misfitTexts), hasTime, isOfOtherYears].some((one) => text.startsWith(one))
  return isMisfit && start !== -1 && start < end ? `${reason.slice(0, start)}, a value ${text}` : reason
}

const hasTime = 'has a time, and the field holds dates only'
const isOfOtherYears = `is not in ${momentYears}`

const misfitTexts: Record<Exclude<FieldType, 'string'>, string> = {
  number: 'is not a number',
  boolean: 'is neither true nor false',
  date: 'is not a date',
  day: 'is not a date',
}

/** The start of a date in a year before 1000 or after 9999. */
const otherYear = /^(?:0\d{3}|\d{5,6})-\d\d-\d\d/

/** Returns why a value does not fit a type. `isOfAnyYears`: it would fit if moments of any year did. */
export function misfitText(type: FieldType, value: string, isOfAnyYears: boolean): string {
  if (type === 'day' && value !== '' && fitsType(value, 'date', null)) return hasTime
  if (isOfAnyYears || ((type === 'day' || type === 'date') && otherYear.test(value))) return isOfOtherYears
  // Every text fits a text field.
  return type === 'string' ? 'does not fit' : misfitTexts[type]
}
