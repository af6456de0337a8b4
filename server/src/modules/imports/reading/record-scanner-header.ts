import { takeGuardOff } from '@portico/contract/exported-values'
import { readCells } from './record-repair.ts'
import { fault, scanRecords, type Delimiter } from './record-scanner.ts'
import { FileRefused } from './source-text-refused.ts'

/** The names of the columns, trimmed, and their line (blank lines may come before). */
export type Header = { names: string[]; line: number }

/** Reads the first record of a text, and little more; `takesGuardsOff` as in `ScanOptions`. @throws FileRefused when there is none */
export async function readHeader(
  text: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  takesGuardsOff = false,
): Promise<Header> {
  // No record has 0 cells, so the header arrives as a rejected record, with its line.
  for await (const block of scanRecords(text, { delimiter, columns: 0 })) {
    for (const { line, start, end, faults } of block.setAside) {
      if (faults & fault.textAfterQuote) throw new FileRefused(`Line ${line}: text follows a closing quote.`)
      if (faults & fault.nul) throw new FileRefused(`Line ${line}: the header contains a NUL character.`)
      const names = readCells(block.bytes.subarray(start, end), delimiter).map((name) => name.trim())
      return { names: takesGuardsOff ? names.map(takeGuardOff) : names, line }
    }
  }
  throw new FileRefused('The file is empty.')
}
