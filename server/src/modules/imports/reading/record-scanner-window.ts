import { FileRefused } from './source-text-refused.ts'

/** No record of contacts is this large: it is a quote that was opened by mistake, and would fill the memory. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** Small enough to stay in a core's cache while it is scanned and copied. */
export const WINDOW_BYTES = 256 * 1024
/** The largest record and its line end; also tells a lone \r from the first half of \r\n. */
const LAST_CAPACITY = MAX_RECORD_BYTES + 2

/**
 * A contiguous part of the text. It is filled to the brim, records are taken from its start, and what is left, the
 * beginning of a record, moves to the front. Filling before cutting makes the result independent of how the text came
 * in chunks.
 */
export class RecordWindow {
  /** One byte longer than the capacity: the scanner writes its sentinel behind the text. */
  bytes = Buffer.allocUnsafeSlow(WINDOW_BYTES + 1)
  /** The text not yet cut is [start, end). */
  start = 0
  end = 0
  #capacity = WINDOW_BYTES

  get isFull(): boolean {
    return this.end === this.#capacity
  }

  /** Takes as much of the chunk from `from` on as there is room for; answers how much. */
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
    // A record is scanned again from its start after each filling: doubling keeps that proportional to its size.
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
    `Line ${line}: the row is larger than ${limit}. Usually this means that a quote is opened there and never closed.`,
  )
}
