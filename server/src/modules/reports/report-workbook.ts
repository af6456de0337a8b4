import type { Readable } from 'node:stream'
import type { CellTable } from '@portico/contract/dashboards/cell-table'
import type { ReportCell } from '@portico/contract/dashboards/reported-cells'
import { type CellStyles, cellStyles } from '@portico/contract/workbook/cell-styles'
import { CellTooLong, tooLongText } from '@portico/contract/workbook/sheet-columns'
import { sheetNames } from '@portico/contract/workbook/sheet-names'
import { AppError } from '#platform/app-error.ts'
import { valueSheets } from '#platform/workbook/value-sheets.ts'
import { packWorkbook, type WrittenSheet } from '#platform/workbook/write-workbook.ts'
import { namingCell } from './report-tables.ts'

type PagesOf = (cell: ReportCell) => AsyncIterable<CellTable>

/**
 * Returns a workbook with a sheet for each cell, named after its title, written while it is read. A cell with more rows
 * than fit on a sheet gets further sheets.
 * @throws cell_failed, while it is read, naming a cell with a text too long for a sheet
 */
export function reportWorkbook(reported: readonly ReportCell[], pagesOf: PagesOf, timeZone: string): Readable {
  const styles = cellStyles()
  return packWorkbook(sheetsOf(reported, pagesOf, { styles, timeZone }), styles)
}

async function* sheetsOf(
  reported: readonly ReportCell[],
  pagesOf: PagesOf,
  writing: { styles: CellStyles; timeZone: string },
): AsyncGenerator<WrittenSheet> {
  const nameOf = sheetNames()
  // All titles are named first, before further sheets can take one of these names.
  const named = reported.map((cell) => ({ cell, name: nameOf(cell.title) }))
  for (const { cell, name } of named) {
    const pages = pagesOf(cell)[Symbol.asyncIterator]()
    const first = await pages.next()
    if (first.done) continue
    const { columns, rows } = first.value
    const names = [name]
    const nameNext = (): string => names.pop() ?? nameOf(cell.title)
    for await (const sheet of valueSheets(rowsOf(rows, pages), { columns, ...writing, nameNext })) {
      yield { ...sheet, content: explained(sheet.content, cell.title, columns) }
    }
  }
}

async function* rowsOf(first: CellTable['rows'], pages: AsyncIterator<CellTable>): AsyncGenerator<CellTable['rows']> {
  yield first
  for (let page = await pages.next(); !page.done; page = await pages.next()) yield page.value.rows
}

/** Adds the cell and the column to an error about a text that is too long for a sheet. */
async function* explained(
  content: WrittenSheet['content'],
  title: string,
  columns: CellTable['columns'],
): WrittenSheet['content'] & AsyncGenerator<Buffer | string> {
  try {
    yield* content
  } catch (error) {
    if (!(error instanceof CellTooLong)) throw error
    const reason = `${tooLongText(columns[error.column]?.name)} Leave this column out, or choose another delimiter.`
    throw namingCell(new AppError('cell_failed', undefined, reason), title)
  }
}
