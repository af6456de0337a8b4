import type { Delimiter } from '../reading/separator-line.ts'
import { MAX_RECORD_BYTES, recordTooLarge } from '../reading/record-scanner-window.ts'
import { ByteList } from './cell-bytes.ts'
import type { SharedStrings } from './shared-strings.ts'
import type { SheetCells, SheetRow } from './sheet-cells.ts'

const LINE_FEED = 0x0a
const PIECE_BYTES = 256 * 1024
/** A piece is also yielded after this time, so that its reader can stop. */
const pieceMs = 250

/** Figures of a sheet's rows that a preview shows with their values. */
export type SheetNotes = {
  /** Maximum number of rows counted after the header; the reader may be ahead of the rows shown. */
  mostRows: number
  /** Rows with values that are hidden in Excel. */
  hiddenRows: number
  /** Number of cells with an error, such as #N/A, or a formula without a stored result; they are read as empty. */
  errorCells: number
}

/** Writes the rows of a sheet as delimited text. */
export class SheetWriter {
  readonly #strings: SharedStrings
  readonly #delimiter: number
  readonly #notes: SheetNotes | undefined
  readonly #firstRow: number
  /** Number of the next line. */
  #line = 1
  /** Number of cells in the header; 0 before it. */
  #width = 0
  #rowsNoted = 0

  constructor(
    strings: SharedStrings,
    options: { delimiter: Delimiter; headerLine?: number | null; notes?: SheetNotes | undefined },
  ) {
    this.#strings = strings
    this.#delimiter = options.delimiter.charCodeAt(0)
    this.#notes = options.notes
    this.#firstRow = options.headerLine ?? 1
  }

  /**
   * Yields the complete rows as text, piece by piece: a text shared by many cells can make them much larger than
   * before.
   */
  async *write(cells: SheetCells): AsyncGenerator<Buffer> {
    let target = new ByteList()
    let begun = performance.now()
    for (const row of cells.rows) {
      if (row.number < this.#firstRow) continue
      target.addByte(LINE_FEED, row.number - this.#line)
      this.#line = row.number + 1
      const isHeader = this.#width === 0
      const width = await this.#writeCells(target, cells, row)
      if (width > 0) {
        if (isHeader) this.#width = width
        else this.#note(row)
        if (width < this.#width) target.addByte(this.#delimiter, this.#width - width)
      }
      target.addByte(LINE_FEED)
      if (target.length < PIECE_BYTES && performance.now() - begun < pieceMs) continue
      yield target.bytes.subarray(0, target.length)
      target = new ByteList()
      begun = performance.now()
    }
    if (target.length > 0) yield target.bytes.subarray(0, target.length)
  }

  /** Returns the number of cells written: up to the last one that is not empty. */
  async #writeCells(target: ByteList, cells: SheetCells, { number, firstCell, endCell }: SheetRow): Promise<number> {
    let width = 0
    const mostBytes = target.length + MAX_RECORD_BYTES
    for (let cell = firstCell; cell < endCell; cell++) {
      // The `!` here and below: the lists have an entry for each cell.
      const column = cells.columns[cell]!
      const before = target.length
      target.addByte(this.#delimiter, Math.max(0, column - Math.max(0, width - 1)))
      const start = target.length
      const shared = cells.shared[cell]!
      if (shared === -1) target.add(cells.bytes.bytes, cells.starts[cell]!, cells.ends[cell]!)
      else {
        const group = this.#strings.groupNow(shared) ?? (await this.#strings.group(shared))
        this.#strings.add(target, group, shared)
      }
      // Delimiters before an empty text are only written when a value follows.
      if (target.length === start) target.length = before
      else width = column + 1
      if (target.length > mostBytes) throw recordTooLarge(number)
    }
    return width
  }

  #note({ isHidden, errors }: SheetRow): void {
    const notes = this.#notes
    if (!notes || this.#rowsNoted === notes.mostRows) return
    this.#rowsNoted++
    if (isHidden) notes.hiddenRows++
    notes.errorCells += errors
  }
}
