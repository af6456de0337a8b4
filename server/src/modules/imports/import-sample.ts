import { commonType, type FieldType } from '@portico/contract/contacts'
import { misfitExamples, type PreviewColumn } from '@portico/contract/import-preview'
import { isBlank } from '@portico/domain/white-space'
import { SampleReadings } from './import-sample-readings.ts'
import type { RecordBlock } from './reading/record-block.ts'
import { readCells } from './reading/record-repair.ts'
import { ReadEnough, type ReadingMeter } from './reading/reading-meter.ts'
import { scanRecords } from './reading/record-scanner.ts'
import { reasonOf } from './reading/record-scanner-examine.ts'
import type { Delimiter } from './reading/separator-line.ts'
import { fitsType, typeOfText } from './reading/value-types.ts'
import { unreadText } from './workbook/shared-strings.ts'

/** The beginning of a file, short enough to read while the user waits, for files of any size. */
export type Sample = {
  /** Rows that can be loaded, at most `sampleRows`, one text per column. */
  rows: string[][]
  /** Per column, the type that fits all values of the sample; null without any value. */
  types: (FieldType | null)[]
  /** Per column, the cells that do not fit each type. */
  misfits: PreviewColumn['misfits'][]
  /** Per column, the results of the readings on its cells. */
  readings: SampleReadings[]
  /** Per column, the line of its first value; null if there is none. */
  firstValues: (number | null)[]
  /** Columns with texts too far into a workbook to be read for a sample. */
  unread: Set<number>
  /** Columns with a day before the years of moments. */
  dayOnly: Set<number>
  /** Rows examined, including those set aside. */
  count: number
  setAsideCount: number
  /** Number of rows with only white space before the last row of the sample; they are never loaded. */
  emptyRows: number
  setAside: { line: number; reason: string }[]
  /** True when the sample is the whole file. */
  isWhole: boolean
}

/** Enough to infer types from, and few enough to read while the user waits. */
const maxRecords = 10_000
const maxCells = 200_000
const shownSetAside = 5
/** Maximum number of bytes of the shown rows; a single row may have more. */
const shownBytes = 4 * 1024 * 1024

/**
 * Maximum number of bytes read from a workbook's table of texts for a sample: a few times as many as its cells usually
 * need.
 */
export const sampledTexts = 32 * 1024 * 1024

/** Maximum number of records in a sample. */
export const sampledRecords = (columns: number): number => Math.min(maxRecords, Math.ceil(maxCells / columns))

/**
 * Reads the beginning of a text whose header has `columns` cells.
 * @throws FileRefused when a record of the sample cannot be read at all
 */
export async function readSample(
  text: AsyncIterable<Buffer>,
  options: {
    delimiter: Delimiter
    columns: number
    shownRows: number
    takesGuardsOff: boolean
    timeZone: string
    meter: ReadingMeter | undefined
  },
): Promise<Sample> {
  const { delimiter, columns, shownRows, takesGuardsOff, timeZone, meter } = options
  const limit = sampledRecords(columns)
  const sample = emptySample(columns, timeZone)
  let shown = 0
  for await (const block of asFarAsRead(scanRecords(text, { delimiter, columns, takesGuardsOff }), sample)) {
    sample.emptyRows += block.emptyRows
    if (block.isHeader) continue
    if (sample.count >= limit) return { ...sample, isWhole: false }
    const taken = Math.min(block.rows, limit - sample.count)
    for (let row = 0; row < taken; row++) {
      await meter?.turn()
      const record = block.bytes.subarray(block.starts[row], block.ends[row])
      const cells = readCells(record, delimiter)
      if (sample.rows.length < shownRows && shown < shownBytes) {
        sample.rows.push(cells)
        shown += record.length
      }
      for (const [column, cell] of cells.entries()) {
        addCell(sample, { column, timeZone }, cell)
        if (!isBlank(cell)) sample.firstValues[column] ??= block.lines[row] ?? null
      }
    }
    sample.count += taken + block.setAside.length
    sample.setAsideCount += block.setAside.length
    const room = shownSetAside - sample.setAside.length
    for (const record of block.setAside.slice(0, room)) {
      sample.setAside.push({ line: record.line, reason: reasonOf(record, columns) })
    }
    if (taken < block.rows) return { ...sample, isWhole: false }
  }
  return sample
}

function emptySample(columns: number, timeZone: string): Sample {
  const types: (FieldType | null)[] = Array.from({ length: columns }, () => null)
  const misfits = types.map(noMisfits)
  const readings = types.map(() => new SampleReadings(timeZone))
  const none = { count: 0, setAsideCount: 0, emptyRows: 0, setAside: [], firstValues: types.map(() => null) }
  return { rows: [], types, misfits, readings, unread: new Set(), dayOnly: new Set(), ...none, isWhole: true }
}

function addCell(sample: Sample, { column, timeZone }: { column: number; timeZone: string }, cell: string): void {
  const { types, misfits, readings, unread, dayOnly } = sample
  if (cell === unreadText) {
    unread.add(column)
    return
  }
  const own = typeOfText(cell, timeZone)
  if (own === 'day' && !fitsType(cell, 'date', timeZone)) dayOnly.add(column)
  const type = isBlank(cell) ? (types[column] ?? null) : commonType(types[column] ?? own, own)
  types[column] = type === 'date' && dayOnly.has(column) ? 'string' : type
  addMisfit(misfits[column], cell, timeZone)
  if (!isBlank(cell)) readings[column]?.add(cell)
}

/** Ends without an error when the request has read its limit after the first rows. */
async function* asFarAsRead(
  blocks: AsyncGenerator<RecordBlock>,
  sample: Pick<Sample, 'count' | 'isWhole'>,
): AsyncGenerator<RecordBlock> {
  try {
    yield* blocks
  } catch (error) {
    if (!(error instanceof ReadEnough) || sample.count === 0) throw error
    sample.isWhole = false
  }
}

export const noMisfits = (): PreviewColumn['misfits'] => ({
  number: { cells: 0, examples: [] },
  boolean: { cells: 0, examples: [] },
  date: { cells: 0, examples: [] },
  day: { cells: 0, examples: [] },
})

const misfitTypes = ['number', 'boolean', 'date', 'day'] as const
/** Longer examples would not fit the screen. */
const exampleLength = 60

/** By the same rule as the import: see `fitsField`. */
function addMisfit(misfits: PreviewColumn['misfits'] | undefined, cell: string, timeZone: string): void {
  if (!misfits || isBlank(cell)) return
  const value = withoutAsciiSpace(cell)
  const own = typeOfText(value, timeZone)
  for (const type of misfitTypes) {
    if (own === type || (type === 'date' && own === 'day' && fitsType(value, 'date', timeZone))) continue
    const { examples } = misfits[type]
    misfits[type].cells++
    const example = cell.length > exampleLength ? `${cell.slice(0, exampleLength)}…` : cell
    if (examples.length < misfitExamples && !examples.includes(example)) examples.push(example)
  }
}

/** White space of ASCII around a value. */
const isAsciiSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

function withoutAsciiSpace(cell: string): string {
  let [start, end] = [0, cell.length]
  while (isAsciiSpace(cell.charCodeAt(start))) start++
  while (isAsciiSpace(cell.charCodeAt(end - 1))) end--
  return cell.slice(start, end)
}
