import { namedDelimiter } from '@portico/domain/separator-line'
import { longestSeparatorLine } from './separator-line.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * Empties the lines of a text before its header line, regardless of their content, including quotes; other lines keep
 * their numbers. A first line that names the delimiter (`sep=;`) is kept. Without a header line, the text is unchanged.
 */
export async function* withoutLinesBefore(
  text: AsyncIterable<Buffer>,
  headerLine: number | null,
): AsyncGenerator<Buffer> {
  const lines = new LinesBefore(headerLine ?? 1)
  for await (const chunk of text) {
    const from = lines.pass(chunk)
    const kept = lines.take()
    if (kept.length > 0) yield kept
    if (from < chunk.length) yield from === 0 ? chunk : chunk.subarray(from)
  }
}

class LinesBefore {
  readonly #headerLine: number
  #line = 1
  /** The last byte was a carriage return, and a line feed may belong to it. */
  #isAfterReturn = false
  #first: number[] = []
  #kept: number[] = []

  constructor(headerLine: number) {
    this.#headerLine = headerLine
  }

  /** Returns where the header's line, or what follows it, begins in a chunk: at its end if it has not begun yet. */
  pass(chunk: Buffer): number {
    let at = 0
    for (; at < chunk.length; at++) {
      // The `!`: the index is before the end.
      const byte = chunk[at]!
      const isSecondHalf = this.#isAfterReturn && byte === LINE_FEED
      this.#isAfterReturn = false
      if (isSecondHalf) continue
      if (this.#line >= this.#headerLine) return at
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.#endLine(byte)
      else if (this.#line === 1 && this.#first.length < longestSeparatorLine) this.#first.push(byte)
    }
    return at
  }

  /** Returns the bytes kept of the lines passed since the last call. */
  take(): Buffer {
    const kept = Buffer.from(this.#kept)
    this.#kept = []
    return kept
  }

  #endLine(byte: number): void {
    const first = Buffer.from(this.#first).toString('latin1')
    if (this.#line === 1 && namedDelimiter(first) !== null) this.#kept.push(...this.#first)
    this.#kept.push(LINE_FEED)
    this.#line++
    this.#isAfterReturn = byte === CARRIAGE_RETURN
  }
}
