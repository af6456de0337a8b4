import type { RecordBlock } from './reading/record-block.ts'
import type { LineJumps } from './row-lines.queries.ts'

/** Rows per write: enough for few statements, few enough to scan through when one is looked up. */
const jumpsAtOnce = 1000

/**
 * Records the lines of a file's rows by only those rows that do not start on the line after the row before: few in most
 * files, and a few bytes each in the others.
 */
export class RowLines {
  readonly #write: (jumps: LineJumps) => Promise<void>
  #jumps: LineJumps = { rows: [], lines: [] }
  #nextLine = 0

  constructor(write: (jumps: LineJumps) => Promise<void>) {
    this.#write = write
  }

  /** Adds the rows of the next block, of which the first has the number `firstRow`. */
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
