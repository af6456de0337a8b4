import { readCells } from './record-repair.ts'
import type { RecordBlock, RejectedRecord } from './record-block.ts'
import { fault, QUOTE, scanRecords, type Delimiter } from './record-scanner.ts'
import type { RefuseRow } from './row-refusal.ts'
import { typeOfValue, valueTests, type CandidateType, type FieldType } from './value-types.ts'

/** What to look for in a file. */
export type ExamineOptions = {
  delimiter: Delimiter
  columns: number
  /** A candidate for each column. */
  typed: readonly CandidateType[]
  /** See `ScanOptions`. */
  refuse?: RefuseRow
  /** Hears of each record set aside, in the order of the file. */
  onSetAside?: (record: SetAside) => void | Promise<void>
  /** Hears of the rows block by block; `firstRow` is the number of the first of them, counted from 0. */
  onRows?: (block: RecordBlock, firstRow: number) => void | Promise<void>
}

/** A record that isn't imported: the line it starts in, why, and its cells however broken they are. */
export type SetAside = { line: number; reason: string; cells: string[] }

/** What a file holds, its header apart. */
export type Examination = {
  rows: number
  /** Records set aside. */
  setAside: number
  /** Of each column the type that all its values fit; a column without values stays what it was, or is a string. */
  types: FieldType[]
  /** Which columns have no value in any row. */
  emptyColumns: boolean[]
}

/** Reads a file once: counts its records and finds out what its columns hold. */
export async function examine(text: AsyncIterable<Buffer>, options: ExamineOptions): Promise<Examination> {
  const { columns, onSetAside, onRows } = options
  const found = options.typed.map((candidate) => ({ candidate, isEmpty: true }))
  let rows = 0
  let setAside = 0
  for await (const block of scanRecords(text, options)) {
    if (block.isHeader) continue
    await onRows?.(block, rows)
    rows += block.rows
    setAside += block.setAside.length
    for (const [column, state] of found.entries()) examineColumn(block, column, columns, state)
    if (!onSetAside) continue
    for (const record of block.setAside) await onSetAside(describeSetAside(block, record, options))
  }
  return {
    rows,
    setAside,
    types: found.map(({ candidate }) => (candidate === 'infer' ? 'string' : candidate)),
    emptyColumns: found.map(({ isEmpty }) => isEmpty),
  }
}

type ColumnState = { candidate: CandidateType; isEmpty: boolean }

/** Narrows a column's candidate by the rows of a block; a string with a value needs no more looks. */
function examineColumn(block: RecordBlock, column: number, columns: number, state: ColumnState): void {
  const { bytes, rows, starts, cellEnds } = block
  let fits = state.candidate === 'infer' ? undefined : valueTests[state.candidate]
  for (let row = 0; row < rows && (state.candidate !== 'string' || state.isEmpty); row++) {
    const cell = row * columns + column
    // The `!`: both arrays hold an offset for each of the rows.
    let start = column === 0 ? starts[row]! : cellEnds[cell - 1]! + 1
    let end = cellEnds[cell]!
    if (bytes[start] === QUOTE) {
      start++
      end--
    }
    // A quote doubled inside the value needs no unescaping: either way only a string holds one.
    if (start >= end) continue
    state.isEmpty = false
    if (!fits) {
      const type = typeOfValue(bytes, start, end)
      state.candidate = type
      fits = valueTests[type]
    } else if (!fits(bytes, start, end)) {
      state.candidate = 'string'
    }
  }
}

/** A record set aside in words. */
export function describeSetAside(
  { bytes }: RecordBlock,
  record: RejectedRecord,
  { columns, delimiter }: Pick<ExamineOptions, 'columns' | 'delimiter'>,
): SetAside {
  const cells = readCells(bytes.subarray(record.start, record.end), delimiter)
  return { line: record.line, reason: record.reason ?? reasonOf(record, columns), cells }
}

/** Why a record is set aside, in words for people. */
export function reasonOf({ faults, cells }: RejectedRecord, columns: number): string {
  if (faults & fault.textAfterQuote) return 'Text follows a closing quote.'
  if (faults & fault.nul) return 'The row contains a NUL character.'
  return `Expected ${columns} ${columns === 1 ? 'cell' : 'cells'}, found ${cells}.`
}
