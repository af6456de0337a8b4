import { FileRefused } from './source-text-refused.ts'

/** Real records are smaller: a larger one comes from a quote opened by mistake, and would fill the memory. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** Small enough to stay in a core's cache while it is scanned and copied. */
export const WINDOW_BYTES = 256 * 1024
/** The largest record and its line end; one byte more distinguishes a lone \r from the first half of \r\n. */
const LAST_CAPACITY = MAX_RECORD_BYTES + 2

/**
 * A contiguous part of the text. It is filled completely, records are cut from its start, and the remainder, the
 * beginning of a record, is moved to the front. Filling before cutting makes the result independent of the text's
 * chunks.
 */
export class RecordWindow {
  /** One byte longer than the capacity: the scanner writes its sentinel after the text. */
  bytes = Buffer.allocUnsafeSlow(WINDOW_BYTES + 1)
  /** The text not yet cut is [start, end). */
  start = 0
  end = 0
  #capacity = WINDOW_BYTES

  get isFull(): boolean {
    return this.end === this.#capacity
  }

  /** Copies the chunk from `from` on as far as it fits. Returns the number of bytes. */
  add(chunk: Buffer, from: number, line: number): number {
    if (this.isFull) this.#makeRoom(line)
    const taken = chunk.copy(this.bytes, this.end, from, Math.min(chunk.length, from + this.#capacity - this.end))
    this.end += taken
    return taken
  }

  #makeRoom(line: number): void {
    const left = this.end - this.start
    if (left === LAST_CAPACITY) throw recordTooLarge(line)
    const previous = this.bytes
    // A record is rescanned from its start after each fill: doubling keeps the total work proportional to its size.
    if (left > this.#capacity / 2 && this.#capacity < LAST_CAPACITY) {
      this.#capacity = Math.min(2 * this.#capacity, LAST_CAPACITY)
      this.bytes = Buffer.allocUnsafeSlow(this.#capacity + 1)
    }
    previous.copy(this.bytes, 0, this.start, this.end)
    this.start = 0
    this.end = left
  }
}

export function recordTooLarge(line: number): FileRefused {
  const limit = `${MAX_RECORD_BYTES / 1024 / 1024} MiB`
  return new FileRefused(
    `Line ${line}: the row is larger than ${limit}. Usually a quote is opened there and never closed.`,
  )
}
