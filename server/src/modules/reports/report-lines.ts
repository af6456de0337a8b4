import { guardFormula, plainNumber } from '@portico/contract/exported-values'
import type { CellTable } from '@portico/contract/dashboards/cell-table'
import type { ReportCell } from '@portico/contract/dashboards/reported-cells'
import type { DownloadSettings } from '@portico/contract/scheduler/instructions'
import { shownNumber } from '@portico/domain/decimals'

type TextDelimiter = Exclude<DownloadSettings['delimiter'], 'xlsx'>

const separators: Record<TextDelimiter, string> = { comma: ',', pipe: '|', tab: '\t' }

/** How the lines of a report are written. */
export type LineFormat = Pick<DownloadSettings, 'addQuotes'> & {
  delimiter: TextDelimiter
  /** Puts an apostrophe before text that a spreadsheet would run as a formula, in comma-separated files. */
  guardFormulas: boolean
}

/** Reads the columns and rows of a cell. */
type Pages = (cell: ReportCell) => AsyncIterable<CellTable>

/**
 * Yields the lines of a file: those of one cell, or of several one below the other, each under a line with its title.
 */
export async function* linesOf(
  reported: readonly ReportCell[],
  pagesOf: Pages,
  format: LineFormat,
): AsyncGenerator<string> {
  // Excel recognizes UTF-8 in a .csv only by a byte order mark.
  if (format.delimiter === 'comma') yield '\uFEFF'
  for (const [index, cell] of reported.entries()) {
    if (reported.length > 1) yield `${index > 0 ? '\r\n' : ''}${lineOf([cell.title], format)}`
    let isFirst = true
    for await (const { columns, rows } of pagesOf(cell)) {
      if (isFirst)
        yield lineOf(
          columns.map(({ name }) => name),
          format,
        )
      isFirst = false
      yield rows.map((row) => lineOf(row, format)).join('')
    }
  }
}

/** Formats a line of a file, with its line ending. */
function lineOf(values: readonly unknown[], { delimiter, addQuotes, guardFormulas }: LineFormat): string {
  const separator = separators[delimiter]
  // Files with other delimiters are for programs, which need the unchanged texts.
  const isGuarded = guardFormulas && delimiter === 'comma'
  const cells = values.map((value) => {
    const text = textOf(value)
    const guarded = isGuarded && typeof value === 'string' ? guardFormula(text) : text
    const needsQuotes = addQuotes || /["\r\n]|^\s|\s$/.test(guarded) || guarded.includes(separator)
    return needsQuotes ? `"${guarded.replaceAll('"', '""')}"` : guarded
  })
  return `${cells.join(separator)}\r\n`
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return plainNumber(String(shownNumber(value)))
  return typeof value === 'string' ? value : JSON.stringify(value)
}
