import type { FieldType } from '@portico/contract/contacts'
import { beginsBlank, isBlankCell } from './blank-cells.ts'
import { readCells } from './record-repair.ts'
import { fitsField, type MisfitCell, misfitReasons, type StrictColumn } from './misfit-cells.ts'
import { NumberSpellings } from './number-spellings.ts'
import { fault, type RecordBlock, type RejectedRecord } from './record-block.ts'
import { QUOTE, scanRecords } from './record-scanner.ts'
import type { Delimiter } from './separator-line.ts'
import type { RefuseRow } from './row-refusal.ts'
import { typeOfValue, valueTests, widerType, type CandidateType } from './value-types.ts'

/** Columns to test, and listeners for rows and rejected records. */
export type ExamineOptions = {
  delimiter: Delimiter
  columns: number
  /** A candidate for each column. */
  typed: readonly CandidateType[]
  /** Time zone of the account. */
  timeZone: string
  /** Columns that keep their type: cells that do not fit are left out. */
  strict?: readonly StrictColumn[]
  /** Names of the columns, for the reasons of cells left out. */
  names?: readonly string[]
  /** See `ScanOptions`. */
  refuse?: RefuseRow
  /** Called for each record set aside, and each row with cells left out, in file order. */
  onSetAside?: (record: SetAside) => void | Promise<void>
  /** Called for the rows of each block; `firstRow` is the number of the first one, counted from 0. */
  onRows?: (block: RecordBlock, firstRow: number) => void | Promise<void>
}

/**
 * A record that is not imported, or only without some cells (`isLoaded`): the line it starts on, the reason, and its
 * cells, even if malformed.
 */
export type SetAside = { line: number; reason: string; cells: string[]; isLoaded?: true }

/** Content of a file, without its header. */
export type Examination = {
  rows: number
  /** Records set aside. */
  setAside: number
  /** Cells left out of the rows, by the position of their column. */
  misfits: ReadonlyMap<number, number>
  /** Number of records with only white space, which do not count as rows. */
  emptyRows: number
  /** Per column, the type that fits all its values; a column without values keeps its candidate, or is a string. */
  types: FieldType[]
  /** Columns inferred to be numbers, for which a second read must find out whether a number is spelled in two ways. */
  unsure: ReadonlyMap<number, NumberSpellings>
  /** Which columns have no value in any row. */
  emptyColumns: boolean[]
}

/** Reads a file once: counts its records and infers the types of its columns. */
export async function examine(text: AsyncIterable<Buffer>, options: ExamineOptions): Promise<Examination> {
  const { onSetAside, onRows, strict = [] } = options
  const found = options.typed.map((candidate, position): ColumnState => ({
    candidate,
    isEmpty: true,
    hasDayOnly: false,
    spellings: candidate === 'infer' ? new NumberSpellings() : null,
    strict: strict.find((column) => column.position === position) ?? null,
  }))
  const misfits = new Map<number, number>()
  let rows = 0
  let setAside = 0
  let emptyRows = 0
  for await (const block of scanRecords(text, options)) {
    emptyRows += block.emptyRows
    if (block.isHeader) continue
    await onRows?.(block, rows)
    rows += block.rows
    setAside += block.setAside.length
    const leftOut: MisfitCell[] = []
    for (const [column, state] of found.entries()) examineColumn(block, column, options, state, leftOut)
    for (const { position } of leftOut) misfits.set(position, (misfits.get(position) ?? 0) + 1)
    if (onSetAside) for (const record of setAsideInOrder(block, leftOut, options)) await onSetAside(record)
  }
  return {
    rows,
    setAside,
    misfits,
    emptyRows,
    types: found.map(({ candidate, spellings }) =>
      candidate === 'infer' || (candidate === 'number' && spellings?.hasClash) ? 'string' : candidate,
    ),
    unsure: new Map(
      found.flatMap(({ candidate, spellings }, position) =>
        candidate === 'number' && spellings?.isUnsure ? [[position, spellings] as const] : [],
      ),
    ),
    emptyColumns: found.map(({ isEmpty }) => isEmpty),
  }
}

/** The number of cells left out, of all columns. */
export const countMisfits = ({ misfits }: Pick<Examination, 'misfits'>): number =>
  [...misfits.values()].reduce((sum, count) => sum + count, 0)

type ColumnState = {
  candidate: CandidateType
  isEmpty: boolean
  /** Whether one of the days is before the years of moments. */
  hasDayOnly: boolean
  strict: StrictColumn | null
  /** Null unless the column's type is inferred. */
  spellings: NumberSpellings | null
}

/**
 * Narrows a column's candidate by the rows of a block, or adds the cells that do not fit to `leftOut`; a string column
 * that has a value needs no further tests.
 */
function examineColumn(
  block: RecordBlock,
  column: number,
  { columns, timeZone }: Pick<ExamineOptions, 'columns' | 'timeZone'>,
  state: ColumnState,
  leftOut: MisfitCell[],
): void {
  const { bytes, rows, starts, cellEnds, faults } = block
  let fits = state.candidate === 'infer' ? undefined : valueTests[state.candidate]
  for (let row = 0; row < rows && (state.candidate !== 'string' || state.isEmpty); row++) {
    const cell = row * columns + column
    // The `!`: both arrays have an offset for each row.
    const cellStart = column === 0 ? starts[row]! : cellEnds[cell - 1]! + 1
    let start = cellStart
    let end = cellEnds[cell]!
    if (bytes[start] === QUOTE) {
      start++
      end--
    }
    // A doubled quote inside the value needs no unescaping: only a string can contain one either way.
    if (start >= end) continue
    if (beginsBlank[bytes[start]!] !== 0 && isBlankCell(bytes, cellStart, cellEnds[cell]!, isUtf8(faults[row]!)))
      continue
    state.isEmpty = false
    if (state.strict?.reading) {
      if (!fitsField(block, row, state.strict, columns)) leftOut.push({ ...state.strict, row })
    } else if (!fits) {
      const type = typeOfValue(bytes, start, end, timeZone)
      state.candidate = type
      fits = valueTests[type]
      if (type === 'number') state.spellings?.add(bytes, start, end)
    } else if (!fits(bytes, start, end, timeZone)) {
      if (state.strict) {
        if (!fitsField(block, row, state.strict, columns)) leftOut.push({ ...state.strict, row })
        continue
      }
      // A string ends the loop, so the candidate is another type.
      const type = widerType(state.candidate as FieldType, bytes, start, end, timeZone)
      state.candidate = state.hasDayOnly ? 'string' : type
      fits = valueTests[type]
    } else if (state.candidate === 'number') state.spellings?.add(bytes, start, end)
    if (state.candidate === 'day') state.hasDayOnly ||= !valueTests.date(bytes, start, end, timeZone)
  }
}

const isUtf8 = (faults: number): boolean => (faults & fault.notUtf8) === 0

/** Returns the records of a block that are set aside, and its rows with cells left out, by line. */
export function setAsideInOrder(
  block: RecordBlock,
  leftOut: readonly MisfitCell[],
  options: Pick<ExamineOptions, 'columns' | 'delimiter' | 'names'>,
): SetAside[] {
  const records = block.setAside.map((record) => describeSetAside(block, record, options))
  if (leftOut.length === 0) return records
  const rows = Map.groupBy(leftOut, ({ row }) => row)
  const loaded = [...rows].map(([row, cells]) => describeLeftOut(block, row, cells, options))
  return [...records, ...loaded].toSorted((one, other) => one.line - other.line)
}

function describeLeftOut(
  block: RecordBlock,
  row: number,
  cells: readonly MisfitCell[],
  { delimiter, names = [] }: Pick<ExamineOptions, 'delimiter' | 'names'>,
): SetAside {
  const { bytes, starts, ends, lines } = block
  const without = cells.length === 1 ? 'this cell' : `these ${cells.length} cells`
  return {
    line: lines[row] ?? 0,
    reason: `${misfitReasons(block, cells, names)} The row is loaded without ${without}.`,
    cells: readCells(bytes.subarray(starts[row], ends[row]), delimiter),
    isLoaded: true,
  }
}

/** Returns a record set aside, as text. */
function describeSetAside(
  { bytes }: RecordBlock,
  record: RejectedRecord,
  { columns, delimiter }: Pick<ExamineOptions, 'columns' | 'delimiter'>,
): SetAside {
  const cells = readCells(bytes.subarray(record.start, record.end), delimiter)
  return { line: record.line, reason: record.reason ?? reasonOf(record, columns), cells }
}

/** Returns the reason for setting a record aside, in words for users. */
export function reasonOf({ faults, cells }: RejectedRecord, columns: number): string {
  if (faults & fault.textAfterQuote) return 'Text follows a closing quote.'
  if (faults & fault.nul) return 'The row contains a NUL character.'
  return `Expected ${columns} ${columns === 1 ? 'cell' : 'cells'}, found ${cells}.`
}
