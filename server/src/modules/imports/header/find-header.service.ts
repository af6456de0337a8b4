import { type ColumnNames, type FirstValues, nameColumns, settleNames } from './column-names.ts'
import type { FileRun } from '../import-context.ts'
import { takesGuardsOff } from '../import-guards.service.ts'
import { delimiterName, delimiterOf, delimiterOfText } from '../import-plan.ts'
import { openImportText, readReporting } from '../loading/import-text.service.ts'
import { hasValue } from '../reading/cell-values.ts'
import type { RecordBlock } from '../reading/record-block.ts'
import { scanRecords } from '../reading/record-scanner.ts'
import { readHeader } from '../reading/record-scanner-header.ts'

/**
 * Starts the phase "examining". Returns the names of the file's columns; the run stores them, and the delimiter that
 * the file names. A blank column without values has the name '', and is left out.
 * @throws FileRefused
 */
export async function startExamining(run: FileRun): Promise<string[]> {
  const { account, row, database } = run
  const examining = { phase: 'examining', phase_progress: 0, last_activity_at: new Date() } as const
  await run.record(examining)
  const unguarded = await takesGuardsOff(database.db, account, delimiterOfText(row))
  const { names: header, delimiter } = await readHeader(await openImportText(run), {
    delimiter: delimiterOf(row.delimiter),
    takesGuardsOff: unguarded,
    headerLine: row.header_line,
  })
  if (delimiter !== delimiterOf(row.delimiter)) {
    row.delimiter = delimiterName(delimiter)
    await run.record({ delimiter: row.delimiter })
  }
  const columns = nameColumns(header, { areNamed: row.name_columns, delimiter: delimiterOfText(row) })
  row.header = columns.names
  row.header = settleNames(columns, await findFirstValues(run, columns))
  return row.header
}

/** Finds the lines of the first values of blank columns; this reads a file with such columns one more time. */
async function findFirstValues(run: FileRun, { names, unnamed }: ColumnNames): Promise<FirstValues> {
  const found: (number | null)[] = names.map(() => null)
  const open = new Set(unnamed.flatMap(({ problem, column }) => (problem === 'blank' ? [column - 1] : [])))
  if (open.size === 0) return found
  const options = { delimiter: delimiterOf(run.row.delimiter), columns: names.length }
  await readReporting(run, async (text) => {
    for await (const block of scanRecords(text, options)) {
      if (block.isHeader) continue
      for (const position of open) {
        found[position] = firstLineWithValue(block, position, names.length)
        if (found[position] !== null) open.delete(position)
      }
      if (open.size === 0) return
    }
  })
  return found
}

function firstLineWithValue(block: RecordBlock, position: number, width: number): number | null {
  for (let row = 0; row < block.rows; row++) {
    if (hasValue(block, row, position, width)) return block.lines[row] ?? null
  }
  return null
}
