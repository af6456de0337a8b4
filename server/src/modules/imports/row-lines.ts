import type { RecordBlock } from './reading/record-block.ts'
import type { LineJumps } from './row-lines.queries.ts'

/** Rows per write: enough for few statements, and few enough to search through for one row. */
const jumpsAtOnce = 1000

/**
 * Records the lines of a file's rows by storing only rows that do not start on the line after the previous row: few in
 * most files, and a few bytes each in the others.
 */
export class RowLines {
  readonly #write: (jumps: LineJumps) => Promise<void>
  #jumps: LineJumps = { rows: [], lines: [] }
  #nextLine = 0

  constructor(write: (jumps: LineJumps) => Promise<void>) {
    this.#write = write
  }

  /** Adds the rows of the next block; `firstRow` is the number of its first row. */
  async add({ lines, rows }: RecordBlock, firstRow: number): Promise<void> {
    for (let row = 0; row < rows; row++) {
      // The `!`: each row has its line.
      const line = lines[row]!
      if (line !== this.#nextLine) {
        this.#jumps.rows.push(firstRow + row)
        this.#jumps.lines.push(line)
      }
      this.#nextLine = line + 1
    }
    while (this.#jumps.rows.length >= jumpsAtOnce) await this.#write(this.#take())
  }

  async close(): Promise<void> {
    if (this.#jumps.rows.length > 0) await this.#write(this.#take())
  }

  #take(): LineJumps {
    const { rows, lines } = this.#jumps
    return { rows: rows.splice(0, jumpsAtOnce), lines: lines.splice(0, jumpsAtOnce) }
  }
}
