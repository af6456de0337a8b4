/** Cells that do not fit the type of the field they feed: they are left out, or their rows are set aside. */
import type { FieldType } from '@portico/contract/contacts'
import type { ColumnReading } from '@portico/contract/imports'
import { beginsBlank } from './blank-cells.ts'
import { cellBounds, cellText, cellValue, fitsWithSpace, hasValue, shownValue } from './cell-values.ts'
import { readerOf } from './column-readings.ts'
import { fault, type RecordBlock } from './record-block.ts'
import type { RefuseRow } from './row-refusal.ts'
import { fitsType, valueTests } from './value-types.ts'

/** A column of the file that feeds a field of this type, which is not widened, and how its cells are read if that was chosen. */
export type StrictColumn = { position: number; type: FieldType; reading?: ColumnReading }

/** A cell that does not fit: its row in the block, and its column. */
export type MisfitCell = StrictColumn & { row: number }

const SPACE = 0x20
const QUOTE = 0x22

/** Whether the cell of a row fits its field. An empty one, or one of white space alone, fits any. */
export function fitsField(block: RecordBlock, row: number, column: StrictColumn, width: number): boolean {
  const { position, type, reading } = column
  const { bytes } = block
  if (reading) return readerOf(reading)(cellText(block, row, position, width)) !== null
  const { start, end } = cellBounds(block, row, position, width)
  // The `!`: a cell that is not empty has a first byte.
  const isQuoted = end > start && bytes[start]! === QUOTE
  const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end]
  if (from >= to || valueTests[type](bytes, from, to)) return true
  if (beginsBlank[bytes[from]!] === 0 && beginsBlank[bytes[to - 1]!] === 0 && bytes[to - 1]! < 0x80) return false
  const value = cellValue(block, row, position, width)
  return value.start === value.end || fitsWithSpace(bytes, value, valueTests[type])
}

/** The cells of a block that do not fit, row by row. */
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

/** Refuses a row for its first cell that does not fit, which `onRefused` gets. */
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
 * Refuses a row of which nothing would be left: its cells in the columns that are loaded have no value, or are left out.
 * `onRefused` gets the columns of the latter.
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

/** Reasons that one row gives at most; the report shows all of its cells. */
const shownMisfits = 10

/** Why cells of one row do not fit. */
export function misfitReasons(block: RecordBlock, cells: readonly MisfitCell[], names: readonly string[]): string {
  const reasons = cells.slice(0, shownMisfits).map((cell) => misfitReason(block, cell, names))
  const more = cells.length - reasons.length
  if (more > 0) reasons.push(`${more} more ${more === 1 ? 'cell does' : 'cells do'} not fit.`)
  return reasons.join(' ')
}

/** Why a cell does not fit, in words for users. It begins with a word of ours, so that no spreadsheet takes it for a formula. */
function misfitReason(block: RecordBlock, cell: MisfitCell, names: readonly string[]): string {
  const value = shownValue(block, cellValue(block, cell.row, cell.position, names.length))
  return `In ${names[cell.position]}, "${value}" ${misfitText(cell.type, value)}.`
}

/** A reason without the value that it names, for people who may not read the file. */
export function withoutMisfitValue(reason: string): string {
  const start = reason.indexOf(', "')
  const end = reason.lastIndexOf('" ')
  const text = reason.slice(end + 2)
  const isMisfit = [...Object.values(misfitTexts), hasTime].some((one) => text.startsWith(one))
  return isMisfit && start !== -1 && start < end ? `${reason.slice(0, start)}, a value ${text}` : reason
}

const hasTime = 'has a time, and the field holds dates only'

const misfitTexts: Record<Exclude<FieldType, 'string'>, string> = {
  number: 'is not a number',
  boolean: 'is neither true nor false',
  date: 'is not a date',
  day: 'is not a date',
}

function misfitText(type: FieldType, value: string): string {
  if (type === 'day' && value !== '' && fitsType(value, 'date')) return hasTime
  // Every text fits a field of texts.
  return type === 'string' ? 'does not fit' : misfitTexts[type]
}
