import { markNotComposed } from './composed-rows.ts'
import { type ReadCell, readerOf } from './column-readings.ts'
import { repairRow, type RecordBytes } from './record-repair.ts'
import type { RecordBlock } from './record-block.ts'
import { LINE_FEED, scanRecords, type ScanOptions } from './record-scanner.ts'
import type { Delimiter } from './separator-line.ts'

/** How the rows of a file are cut for `COPY … FROM STDIN (FORMAT csv, DELIMITER …)`. */
export type BatchOptions = {
  delimiter: Delimiter
  columns: number
  /** First column of each output group, ascending from 0: several groups if one table cannot hold all columns. */
  groupStarts: readonly number[]
  /** Number written before row 0; each further row gets the next one. */
  firstNumber: bigint
  /** Written between the number and the delimiter before the first cell: `,7` makes `1234,7,cells…`. */
  prefixTail?: string
  rowsPerBatch: number
  /** Returns true for a batch that is already loaded: its rows are counted, not yielded. */
  skipBatch?: (batch: number) => boolean
} & Pick<ScanOptions, 'refuse' | 'empties' | 'keepsEmptyRows' | 'takesGuardsOff'>

/** Whole rows of one slice (called batch when loading), for the COPY of one group. */
export type BatchPiece = GroupBytes & { slice: number }

type GroupBytes = { group: number; bytes: Buffer }

/**
 * Yields the rows from slice * rowsPerBatch on, slice by slice. Within a slice, the pieces of the groups interleave in
 * the order of the rows. Each piece is a separate buffer of about 256 kB that is never written to again.
 */
export async function* cutBatches(text: AsyncIterable<Buffer>, options: BatchOptions): AsyncGenerator<BatchPiece> {
  const { rowsPerBatch, skipBatch } = options
  const writer = new RowWriter(options)
  let slice = -1
  let row = 0
  let isSkipped = true
  for await (const block of scanRecords(text, options)) {
    let from = block.isHeader ? block.rows : 0
    if (from < block.rows) markNotComposed(block)
    while (from < block.rows) {
      if (row === (slice + 1) * rowsPerBatch) {
        slice++
        isSkipped = skipBatch?.(slice) ?? false
        if (!isSkipped) writer.startAt(row)
      }
      const to = Math.min(block.rows, from + (slice + 1) * rowsPerBatch - row)
      if (!isSkipped) writer.write(block, from, to)
      row += to - from
      from = to
      const isSliceEnd = row === (slice + 1) * rowsPerBatch
      for (const piece of isSliceEnd ? writer.takeAll() : writer.takeFull()) yield { slice, ...piece }
    }
  }
  for (const piece of writer.takeAll()) yield { slice, ...piece }
}

/** Size of the buffers passed on: large for few calls, small for little memory. */
const CHUNK_BYTES = 256 * 1024

type Output = { bytes: Buffer; used: number; firstCell: number; lastCell: number }

/** Writes rows, each with its number before it, into the buffers of their groups. */
class RowWriter {
  readonly #columns: number
  readonly #readers: (ReadCell | undefined)[] = []
  readonly #firstNumber: bigint
  readonly #prefix: RowPrefix
  readonly #outputs: Output[]
  #full: GroupBytes[] = []

  constructor({ columns, delimiter, groupStarts, firstNumber, prefixTail = '', empties = [] }: BatchOptions) {
    this.#columns = columns
    for (const { position, reading, timeZone = null } of empties) {
      if (reading) this.#readers[position] = readerOf(reading, timeZone)
    }
    this.#firstNumber = firstNumber
    this.#prefix = new RowPrefix(prefixTail + delimiter)
    this.#outputs = groupStarts.map((firstCell, group) => ({
      bytes: Buffer.allocUnsafeSlow(CHUNK_BYTES),
      used: 0,
      firstCell,
      lastCell: (groupStarts[group + 1] ?? columns) - 1,
    }))
  }

  /** Continues with the number of this row. */
  startAt(row: number): void {
    this.#prefix.set(this.#firstNumber + BigInt(row))
  }

  /** Writes the rows [from, to) of a block; `startAt` has set the number of the first one. */
  write(block: RecordBlock, from: number, to: number): void {
    const { bytes, starts, ends, cellEnds, faults } = block
    const rereads = this.#readers.length > 0
    const record: RecordBytes = { bytes, start: 0, end: 0, cellEnds, firstCell: 0 }
    for (let row = from; row < to; row++) {
      if (faults[row] === 0 && !rereads) {
        // The `!`: each row has its offsets.
        record.start = starts[row]!
        record.end = ends[row]!
        record.firstCell = row * this.#columns
        this.#writeRecord(record)
      } else {
        this.#writeRecord(repairRow(block, row, this.#columns, this.#readers))
      }
      this.#prefix.increment()
    }
  }

  /** Returns the full buffers. */
  takeFull(): GroupBytes[] {
    const full = this.#full
    this.#full = []
    return full
  }

  /** Returns everything written and not yet taken. */
  takeAll(): GroupBytes[] {
    for (const [group, output] of this.#outputs.entries()) if (output.used > 0) this.#passOn(group, output, CHUNK_BYTES)
    return this.takeFull()
  }

  #writeRecord({ bytes, start, end, cellEnds, firstCell }: RecordBytes): void {
    const outputs = this.#outputs
    const prefix = this.#prefix
    for (let group = 0; group < outputs.length; group++) {
      // The `!`: `group` is below the length, and a record has an offset for each cell.
      const output = outputs[group]!
      const from = output.firstCell === 0 ? start : cellEnds[firstCell + output.firstCell - 1]! + 1
      const to = output.lastCell === this.#columns - 1 ? end : cellEnds[firstCell + output.lastCell]!
      const needed = prefix.length + to - from + 1
      if (output.used + needed > output.bytes.length) this.#passOn(group, output, Math.max(CHUNK_BYTES, needed))
      let at = prefix.copyTo(output.bytes, output.used)
      at += bytes.copy(output.bytes, at, from, to)
      output.bytes[at] = LINE_FEED
      output.used = at + 1
    }
  }

  /** Gives a buffer away for good: a socket may hold it for a long time. */
  #passOn(group: number, output: Output, nextSize: number): void {
    if (output.used > 0) this.#full.push({ group, bytes: output.bytes.subarray(0, output.used) })
    output.bytes = Buffer.allocUnsafeSlow(nextSize)
    output.used = 0
  }
}

/** A row number in decimal digits and its suffix, incremented in place: this creates no BigInt or string per row. */
class RowPrefix {
  readonly #bytes: Buffer
  readonly #digitsEnd = '18446744073709551615'.length
  #start = 0

  constructor(tail: string) {
    this.#bytes = Buffer.concat([Buffer.alloc(this.#digitsEnd), Buffer.from(tail)])
  }

  get length(): number {
    return this.#bytes.length - this.#start
  }

  set(number: bigint): void {
    const digits = String(number)
    this.#start = this.#digitsEnd - digits.length
    this.#bytes.write(digits, this.#start)
  }

  increment(): void {
    let at = this.#digitsEnd - 1
    for (; this.#bytes[at] === NINE; at--) this.#bytes[at] = ZERO
    if (at < this.#start) {
      this.#start = at
      this.#bytes[at] = ZERO
    }
    // The `!`: the 20 places can hold the number of any row.
    this.#bytes[at]!++
  }

  copyTo(target: Buffer, from: number): number {
    let to = from
    for (let at = this.#start; at < this.#bytes.length; at++) target[to++] = this.#bytes[at]!
    return to
  }
}

const ZERO = 0x30
const NINE = 0x39
