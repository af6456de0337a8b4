import { takeGuardOff } from '@portico/contract/exported-values'
import { tidyName } from '@portico/domain/names'
import { readCells } from './record-repair.ts'
import { fault } from './record-block.ts'
import { scanRecords } from './record-scanner.ts'
import { type Delimiter, takeSeparatorLine } from './separator-line.ts'
import { FileRefused, HeaderMissing } from './source-text-refused.ts'

/**
 * The names of the columns, trimmed and composed (NFC), their line (blank lines may precede it), and the delimiter: the
 * one that the file names in its first line, or else the chosen one.
 */
export type Header = { names: string[]; line: number; delimiter: Delimiter }

const maxColumns = 1000

/** @throws FileRefused */
export function requireFewColumns(columns: number): void {
  if (columns <= maxColumns) return
  throw new FileRefused(
    `The header has ${columns.toLocaleString('en-US')} columns; at most ${maxColumns.toLocaleString('en-US')} can be imported.`,
  )
}

/** The chosen delimiter, `takesGuardsOff` as in `ScanOptions`, and the line on which the header must begin. */
export type HeaderOptions = { delimiter: Delimiter; takesGuardsOff?: boolean; headerLine?: number | null }

/**
 * Reads the first record of a text, and little more.
 * @throws FileRefused if there is none, or HeaderMissing if it begins on another line
 */
export async function readHeader(
  text: AsyncIterable<Buffer>,
  { delimiter: chosen, takesGuardsOff = false, headerLine = null }: HeaderOptions,
): Promise<Header> {
  const { delimiter: named, rest } = await takeSeparatorLine(text)
  const delimiter = named ?? chosen
  // No record has 0 cells, so the header is reported as a rejected record, with its line.
  for await (const block of scanRecords(rest, { delimiter, columns: 0 })) {
    for (const { line, start, end, cells, faults } of block.setAside) {
      if (headerLine !== null && line !== headerLine) throw new HeaderMissing(headerLine)
      if (faults & fault.textAfterQuote) throw new FileRefused(`Line ${line}: text follows a closing quote.`)
      if (faults & fault.nul) throw new FileRefused(`Line ${line}: the header contains a NUL character.`)
      // A file of only delimiters would take seconds to split into names.
      requireFewColumns(cells)
      const names = readCells(block.bytes.subarray(start, end), delimiter).map(tidyName)
      return { names: takesGuardsOff ? names.map(takeGuardOff) : names, line, delimiter }
    }
  }
  throw headerLine === null ? new FileRefused('The file is empty.') : new HeaderMissing(headerLine)
}
