/**
 * Cuts delimited text into records, on bytes, without making strings. Three readers use it: `readHeader`
 * (record-scanner-header.ts), `examine` (record-scanner-examine.ts) and `cutBatches` (record-scanner-batches.ts). They
 * agree on every record, since all cutting happens here, by these rules:
 *
 * - A record ends at \n, \r\n or \r outside quotes; the last one may lack its end. Empty lines are not records.
 * - A quote opens quoting only as the first byte of a cell, and "" is an escaped quote. A delimiter or the record's
 *   end follows the closing quote. A quote elsewhere (5" pipe, or a space before "quoted") is an ordinary character.
 * - A record with only white space in its cells is an empty row, with any number of cells: it is counted and skipped,
 *   before the header too.
 * - A record is set aside when text follows a closing quote, when it has a NUL, or when its number of cells is not
 *   the header's. The others are the rows.
 * - A first line such as `sep=;` is not a record (separator-line.ts).
 * - A record that is not UTF-8 is read as Windows-1252 (record-repair.ts).
 * - The file is refused when a quote is never closed or a record is larger than `MAX_RECORD_BYTES`.
 *
 * The unit of output is a block: some thousand records of a window of the text, with the offset of every cell.
 */
import { isUtf8 } from 'node:buffer'
import { beginsBlank, isBlankCell, isBlankInWindows1252 } from './blank-cells.ts'
import { fault, type RecordBlock } from './record-block.ts'
import { MAX_RECORD_BYTES, RecordWindow, recordTooLarge } from './record-scanner-window.ts'
import { takeGuardsOff } from './formula-guards.ts'
import { emptyMisfits, type StrictColumn } from './misfit-cells.ts'
import { type RefuseRow, setRowsAside } from './row-refusal.ts'
import { type Delimiter, takeSeparatorLine } from './separator-line.ts'
import { FileRefused } from './source-text-refused.ts'

/** Settings of a scan. */
export type ScanOptions = {
  delimiter: Delimiter
  /** Number of cells in a good record. */
  columns: number
  /** Returns the reason for setting a well-formed row aside; null to keep it. */
  refuse?: RefuseRow
  /** Columns whose misfits are emptied. */
  empties?: readonly StrictColumn[]
  /** Remove the apostrophes that exports put before formulas; rows set aside keep theirs. */
  takesGuardsOff?: boolean
  /** Keeps empty rows among the others: for an import begun by an earlier release, whose row numbers include them. */
  keepsEmptyRows?: boolean
}

export const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
export const QUOTE = 0x22

/** Records per block, and cells per block: limits the stored offsets to about 1 MB. */
const MAX_BLOCK_RECORDS = 8192
const MAX_BLOCK_CELLS = 1 << 18

/** Yields the text block by block, in order; the first block holds the header. */
export async function* scanRecords(text: AsyncIterable<Buffer>, options: ScanOptions): AsyncGenerator<RecordBlock> {
  const scanner = new RecordScanner(options)
  const { rest } = await takeSeparatorLine(text)
  for await (const chunk of rest) {
    for (let taken = 0; taken < chunk.length;) {
      taken += scanner.add(chunk, taken)
      while (scanner.cut(false)) yield afterRefusal(scanner.block, options)
    }
  }
  while (scanner.cut(true)) yield afterRefusal(scanner.block, options)
}

function afterRefusal(block: RecordBlock, { columns, refuse, empties, takesGuardsOff }: ScanOptions): RecordBlock {
  if (refuse && !block.isHeader) setRowsAside(block, columns, refuse)
  if (empties && empties.length > 0 && !block.isHeader) emptyMisfits(block, empties, columns)
  if (takesGuardsOff && !block.isHeader) takeGuardsOff(block, columns)
  return block
}

class RecordScanner {
  readonly block: RecordBlock
  readonly #window = new RecordWindow()
  readonly #columns: number
  readonly #delimiter: number
  /** Bytes above this are ordinary unless they are the delimiter, so the inner loop needs no further tests. */
  readonly #highestSpecial: number
  readonly #maxRecords: number
  readonly #keepsEmptyRows: boolean
  #line = 1
  #nextNul = Infinity
  #hasHeader = false

  constructor({ delimiter, columns, keepsEmptyRows = false }: ScanOptions) {
    this.#columns = columns
    this.#keepsEmptyRows = keepsEmptyRows
    this.#delimiter = delimiter.charCodeAt(0)
    this.#highestSpecial = delimiter === ',' ? this.#delimiter : QUOTE
    this.#maxRecords = Math.max(1, Math.min(MAX_BLOCK_RECORDS, Math.floor(MAX_BLOCK_CELLS / Math.max(1, columns))))
    this.block = {
      isHeader: false,
      bytes: this.#window.bytes,
      rows: 0,
      starts: new Int32Array(this.#maxRecords),
      ends: new Int32Array(this.#maxRecords),
      cellEnds: new Int32Array(this.#maxRecords * columns),
      faults: new Uint8Array(this.#maxRecords),
      lines: new Int32Array(this.#maxRecords),
      setAside: [],
      emptyRows: 0,
    }
  }

  /** Copies as many bytes as fit, starting at `from`, and returns their number. */
  add(chunk: Buffer, from: number): number {
    const added = this.#window.add(chunk, from, this.#line)
    this.block.bytes = this.#window.bytes
    return added
  }

  /** Cuts the next block; false if it needs more text or, with `isLast`, if the whole text is cut. */
  cut(isLast: boolean): boolean {
    const { block } = this
    const { start, end, isFull } = this.#window
    if (!isLast && !isFull) return false
    block.isHeader = !this.#hasHeader
    block.rows = 0
    block.setAside = []
    block.emptyRows = 0
    this.#nextNul = indexOfNul(block.bytes, start, end)
    const cutEnd = this.#cutRecords(start, end, isLast)
    this.#window.start = cutEnd
    const records = block.rows + block.setAside.length
    if (records + block.emptyRows === 0) return false
    if (records > 0) this.#hasHeader = true
    if (!isUtf8(block.bytes.subarray(start, cutEnd))) this.#markNotUtf8()
    return true
  }

  /** Fills the block with the records of [from, to). Returns the start of the first record that is not cut. */
  #cutRecords(from: number, to: number, isLast: boolean): number {
    const { bytes, cellEnds } = this.block
    const columns = this.#columns
    const delimiter = this.#delimiter
    const highestSpecial = this.#highestSpecial
    // The sentinel ends every run of bytes: the loops need not compare their index with `to`.
    bytes[to] = LINE_FEED
    let at = from
    while (at < to && this.#hasRoom()) {
      const start = at
      const line = this.#line
      const firstCell = this.block.rows * columns
      let cells = 0
      let faults = 0
      let hasValue = false
      // The `!` here and below: no index passes the sentinel at `to`.
      for (let byte = bytes[at]!; ; byte = bytes[++at]!) {
        const cellStart = at
        if (byte === QUOTE) {
          at = this.#passQuoted(bytes, at, to, isLast)
          byte = bytes[at]!
          if (byte !== delimiter && byte !== LINE_FEED && byte !== CARRIAGE_RETURN) faults |= fault.textAfterQuote
        }
        for (;;) {
          while (byte > highestSpecial && byte !== delimiter) byte = bytes[++at]!
          if (byte === delimiter || byte === LINE_FEED || byte === CARRIAGE_RETURN) break
          if (byte === QUOTE) faults |= fault.strayQuote
          byte = bytes[++at]!
        }
        if (at > cellStart) {
          const isQuoted = bytes[cellStart] === QUOTE
          // Most cells begin with a letter or a digit, and need no further check.
          if (beginsBlank[bytes[isQuoted ? cellStart + 1 : cellStart]!] === 0) hasValue = true
          else if (!isBlankCell(bytes, cellStart, at, true)) hasValue = true
          // PostgreSQL reads "" as empty too.
          else if (!isQuoted || at - cellStart > 2) faults |= fault.blankCell
        }
        if (cells < columns) cellEnds[firstCell + cells] = at
        cells++
        if (byte !== delimiter) break
      }
      const isCut = at < to && (bytes[at] === LINE_FEED || at + 1 < to)
      if (!isCut && !isLast) {
        this.#line = line
        return start
      }
      if (!hasValue && this.#isEmptyRow(start, at)) {
        if (at > start) this.block.emptyRows++
      } else if (at > start) this.#finishRecord(start, at, line, cells, faults)
      at += bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED ? 2 : 1
      this.#line++
    }
    // The last record of a file may have ended at the sentinel.
    return Math.min(at, to)
  }

  #hasRoom(): boolean {
    return this.block.rows + this.block.setAside.length < (this.#hasHeader ? this.#maxRecords : 1)
  }

  /** Returns the position of the byte after the closing quote, or `to` if the cell continues beyond it. */
  #passQuoted(bytes: Buffer, opening: number, to: number, isLast: boolean): number {
    const line = this.#line
    for (let at = opening + 1; at < to; at++) {
      const byte = bytes[at]!
      if (byte > QUOTE) continue
      if (byte === QUOTE) {
        if (bytes[at + 1] !== QUOTE) return at + 1
        at++
      } else if (byte === LINE_FEED || (byte === CARRIAGE_RETURN && bytes[at + 1] !== LINE_FEED)) {
        this.#line++
      }
    }
    if (isLast) throw new FileRefused(`Line ${line}: a quote is opened and never closed.`)
    return to
  }

  /**
   * Returns whether a record without any apparent value is empty: some bytes are blank in UTF-8 but not in
   * Windows-1252.
   */
  #isEmptyRow(start: number, end: number): boolean {
    if (this.#keepsEmptyRows) return start === end
    const record = this.block.bytes.subarray(start, end)
    return isUtf8(record) || isBlankInWindows1252(record, this.#delimiter)
  }

  #finishRecord(start: number, end: number, line: number, cells: number, faults: number): void {
    const { block } = this
    if (end - start > MAX_RECORD_BYTES) throw recordTooLarge(line)
    const hasNul = this.#nextNul < end
    if (hasNul) this.#nextNul = indexOfNul(block.bytes, end, this.#window.end)
    if (hasNul || cells !== this.#columns || faults >= fault.textAfterQuote) {
      block.setAside.push({ line, start, end, cells, faults: hasNul ? faults | fault.nul : faults, reason: null })
      return
    }
    block.starts[block.rows] = start
    block.ends[block.rows] = end
    block.faults[block.rows] = faults
    block.lines[block.rows] = line
    block.rows++
  }

  #markNotUtf8(): void {
    const { bytes, rows, starts, ends, faults } = this.block
    for (let row = 0; row < rows; row++) {
      if (!isUtf8(bytes.subarray(starts[row], ends[row]))) faults[row] = fault.notUtf8 | (faults[row] ?? 0)
    }
  }
}

function indexOfNul(bytes: Buffer, from: number, to: number): number {
  const at = bytes.subarray(from, to).indexOf(0)
  return at === -1 ? Infinity : from + at
}
