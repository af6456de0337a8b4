import { fault } from './record-block.ts'
import { cellBounds } from './cell-values.ts'
import { QUOTE, type ScanOptions, scanRecords } from './record-scanner.ts'
import { valueTests } from './value-types.ts'

const POINT = 0x2e
const ZERO = 0x30
/** Maximum number of numbers kept in memory per column; a column with more contains amounts. */
const mostKept = 200_000

/**
 * Watches a column for a number spelled in two ways: 2.1 and 2.10 are versions or sections, not amounts. It stores only
 * numbers that end with a zero after the point, since each such pair contains one.
 */
export class NumberSpellings {
  /** Number → its decimals, for numbers that end with a zero after the point. */
  readonly #padded = new Map<number, number>()
  #decimals = -1
  #isMixed = false
  hasClash = false

  /** Adds the number [start, end). */
  add(bytes: Buffer, start: number, end: number): void {
    const decimals = countDecimals(bytes, start, end)
    if (this.#decimals === -1) this.#decimals = decimals
    else if (decimals !== this.#decimals) this.#isMixed = true
    if (decimals === 0 || bytes[end - 1] !== ZERO) return
    const number = Number(bytes.toString('latin1', start, end))
    const before = this.#padded.get(number)
    if (before === undefined && this.#padded.size < mostKept) this.#padded.set(number, decimals)
    else if (before !== undefined && before !== decimals) this.hasClash = true
  }

  /** Returns whether a number without such a zero may equal one of those with it. */
  get isUnsure(): boolean {
    return !this.hasClash && this.#isMixed && this.#padded.size > 0
  }

  clashesWith(bytes: Buffer, start: number, end: number): boolean {
    const before = this.#padded.get(Number(bytes.toString('latin1', start, end)))
    return before !== undefined && before !== countDecimals(bytes, start, end)
  }
}

function countDecimals(bytes: Buffer, start: number, end: number): number {
  for (let at = end - 1; at > start; at--) if (bytes[at] === POINT) return end - 1 - at
  return 0
}

/** Reads a text again for the unsure columns. Returns the positions of columns with a number spelled in two ways. */
export async function findClashes(
  text: AsyncIterable<Buffer>,
  options: Pick<ScanOptions, 'delimiter' | 'columns' | 'refuse'>,
  unsure: ReadonlyMap<number, NumberSpellings>,
): Promise<Set<number>> {
  const found = new Set<number>()
  for await (const block of scanRecords(text, options)) {
    if (block.isHeader) continue
    for (let row = 0; row < block.rows; row++) {
      if ((block.faults[row] ?? 0) & fault.nul) continue
      for (const [position, spellings] of unsure) {
        const { start, end } = cellBounds(block, row, position, options.columns)
        const [from, to] = block.bytes[start] === QUOTE ? [start + 1, end - 1] : [start, end]
        if (from >= to || !valueTests.number(block.bytes, from, to, null)) continue
        if (spellings.clashesWith(block.bytes, from, to)) found.add(position)
      }
    }
  }
  return found
}
