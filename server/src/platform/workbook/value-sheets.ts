import { mostSheetRows } from '@portico/contract/workbook/sheet-columns'
import { type RowWriting, valueRow } from '@portico/contract/workbook/value-rows'
import { sheetBeginning, sheetEnd } from '@portico/contract/workbook/workbook-parts'
import type { WrittenSheet } from './write-workbook.ts'

type Rows = readonly (readonly unknown[])[]

/** `nameNext` names each sheet; `rowsOfSheet`: maximum rows of one, including its header. */
type Sheets = RowWriting & { nameNext: () => string; rowsOfSheet?: number }

/** Rows that are converted in one go, which blocks other work of the process. */
const rowsAtOnce = 500

/**
 * Converts rows of values to sheets: one, and further ones for the rows that exceed a sheet. One page of rows is in
 * memory at a time.
 * @throws CellTooLong, while the sheets are read
 */
export async function* valueSheets(pages: AsyncIterable<Rows>, sheets: Sheets): AsyncGenerator<WrittenSheet> {
  const { nameNext, rowsOfSheet = mostSheetRows, ...writing } = sheets
  const iterator = pages[Symbol.asyncIterator]()
  const next = async (): Promise<Rows | null> => {
    const { done, value } = await iterator.next()
    return done ? null : value
  }
  let rest = await next()

  async function* content(): AsyncGenerator<string> {
    yield sheetBeginning(writing.columns)
    for (let row = 2; rest !== null; rest = rest.length > 0 ? rest : await next()) {
      if (rest.length > 0 && row > rowsOfSheet) break
      const taken = rest.slice(0, Math.min(rowsAtOnce, rowsOfSheet + 1 - row))
      rest = rest.slice(taken.length)
      const first = row
      if (taken.length > 0) yield taken.map((values, at) => valueRow(first + at, values, writing)).join('')
      row += taken.length
    }
    yield sheetEnd
  }

  do yield { name: nameNext(), content: content() }
  while (rest !== null)
}
