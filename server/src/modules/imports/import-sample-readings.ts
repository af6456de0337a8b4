import { misfitExamples, type PreviewColumn, type PreviewedReading } from '@portico/contract/import-preview'
import type { ColumnReading } from '@portico/contract/imports'
import { readerOf } from './reading/column-readings.ts'
import { typeOfText } from './reading/value-types.ts'

/** In the order in which they are suggested. Readings of the same type are adjacent. */
const candidates: readonly ColumnReading[] = [
  { type: 'number', decimal: 'point' },
  { type: 'number', decimal: 'comma' },
  { type: 'boolean' },
  { type: 'day', order: 'month-first' },
  { type: 'day', order: 'day-first' },
  { type: 'date', order: 'month-first' },
  { type: 'date', order: 'day-first' },
]

type Tally = PreviewedReading & { readCells: number }

const exampleLength = 60
/** Longer cells are texts. */
const mostLetters = 80

/** The result for a column without cells. */
export const noReadings = { readings: [], suggestedReading: null, isAmbiguous: false }

/** Tries the readings on the cells of one column. */
export class SampleReadings {
  readonly #tallies: Tally[] = candidates.map((reading) => ({
    reading,
    misfits: { cells: 0, examples: [] },
    examples: [],
    readCells: 0,
  }))
  /** Types for which two readings have produced different values. */
  readonly #differing = new Set<ColumnReading['type']>()
  /** Number → its first spelling, for plain numbers. */
  readonly #spellings = new Map<number, string>()
  /** True after a number with a leading zero, or a number spelled in two ways: codes and versions are texts. */
  isCode = false
  readonly #timeZone: string

  /** @param timeZone of the account */
  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  /** Adds a cell that is not blank. */
  add(cell: string): void {
    const values = candidates.map((reading) =>
      cell.length > mostLetters ? null : readerOf(reading, this.#timeZone)(cell),
    )
    for (const [at, tally] of this.#tallies.entries()) addTo(tally, cell, values[at] ?? null)
    for (const [at, { type }] of candidates.entries()) {
      const [one, other] = [values[at], values[at + 1]]
      if (candidates[at + 1]?.type === type && one && other && one !== other) this.#differing.add(type)
    }
    this.#lookForCodes(cell)
  }

  #lookForCodes(cell: string): void {
    if (/^\s*0\d/.test(cell)) this.isCode = true
    if (typeOfText(cell, this.#timeZone) !== 'number') return
    const before = this.#spellings.get(Number(cell))
    if (before === undefined) this.#spellings.set(Number(cell), cell)
    else if (before !== cell) this.isCode = true
  }

  describe(): Pick<PreviewColumn, 'readings' | 'suggestedReading' | 'isAmbiguous'> {
    const whole = this.#tallies.filter(({ misfits, readCells, reading }) => {
      return readCells > 0 && misfits.cells === 0 && !(reading.type === 'number' && this.isCode)
    })
    const suggested = whole[0]?.reading ?? null
    return {
      readings: this.#tallies.flatMap(({ readCells, ...one }) => (readCells > 0 ? [one] : [])),
      suggestedReading: suggested,
      isAmbiguous:
        suggested !== null &&
        this.#differing.has(suggested.type) &&
        whole.filter(({ reading }) => reading.type === suggested.type).length > 1,
    }
  }
}

function addTo(tally: Tally, cell: string, value: string | null): void {
  const before = cell.length > exampleLength ? `${cell.slice(0, exampleLength)}…` : cell
  if (value === null) {
    const { examples } = tally.misfits
    tally.misfits.cells++
    if (examples.length < misfitExamples && !examples.includes(before)) examples.push(before)
    return
  }
  tally.readCells++
  const { examples } = tally
  if (examples.length < misfitExamples && examples.every((one) => one.before !== before)) {
    examples.push({ before, after: value })
  }
}
