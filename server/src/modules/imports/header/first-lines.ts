import type { PreviewHeader } from '@portico/contract/import-preview'
import { takeGuardOff } from '@portico/contract/exported-values'
import { isBlank } from '@portico/domain/white-space'
import { readCells } from '../reading/record-repair.ts'
import { scanRecords } from '../reading/record-scanner.ts'
import { type Delimiter, takeSeparatorLine } from '../reading/separator-line.ts'
import { FileRefused } from '../reading/source-text-refused.ts'

type FirstLine = PreviewHeader['lines'][number]

const shownLines = 25
export const shownCells = 30
const shownLetters = 60
/** Maximum number of bytes read from a record for its cells. */
const shownBytes = 16 * 1024

/**
 * Returns the first non-empty lines of a text, among which a user finds the header. A text that cannot be read has
 * none.
 * @param isSheet lines are rows: line breaks in cells do not count
 */
export async function readFirstLines(
  text: AsyncIterable<Buffer>,
  { delimiter: chosen, isSheet, takesGuardsOff }: { delimiter: Delimiter; isSheet: boolean; takesGuardsOff: boolean },
): Promise<FirstLine[]> {
  const found: FirstLine[] = []
  let breaks = 0
  try {
    const { delimiter: named, rest } = await takeSeparatorLine(text)
    const delimiter = named ?? chosen
    // No record has 0 cells, so all are reported as rejected, with their lines.
    for await (const block of scanRecords(rest, { delimiter, columns: 0 })) {
      for (const { line, start, end } of block.setAside) {
        const record = block.bytes.subarray(start, end)
        const cells = readCells(beginningOf(record), delimiter).slice(0, shownCells)
        found.push({
          line: line - breaks,
          cells: cells.map((cell) => shownCell(takesGuardsOff ? takeGuardOff(cell) : cell)),
        })
        if (found.length === shownLines) return found
        if (isSheet) breaks += countBreaks(record)
      }
    }
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error
  }
  return found
}

/** Returns the beginning of a record, without a partial character at its end. */
function beginningOf(record: Buffer): Buffer {
  if (record.length <= shownBytes) return record
  let end = shownBytes
  // The `!`: the record is longer.
  while (end > 0 && (record[end]! & 0xc0) === 0x80) end--
  return record.subarray(0, end)
}

/** The beginning of a cell, as in a first line. */
export function shownCell(cell: string): string {
  const text = cell.trim()
  return text.length > shownLetters ? `${text.slice(0, shownLetters).toWellFormed()}…` : text
}

const countBreaks = (record: Buffer): number => record.toString('latin1').split(/\r\n|\r|\n/).length - 1

/** A header has at least this share of the cells of the fullest line. */
const leastShare = 0.6

/**
 * Returns the line that looks like the header: the first one that is about as full as the fullest. Null if there are no
 * lines.
 */
export function findLikelyLine(lines: readonly FirstLine[]): number | null {
  const filled = lines.map(({ line, cells }) => ({ line, count: cells.filter((cell) => !isBlank(cell)).length }))
  const most = Math.max(0, ...filled.map(({ count }) => count))
  return filled.find(({ count }) => count >= most * leastShare)?.line ?? null
}
