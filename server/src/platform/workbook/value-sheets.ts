import { mostSheetRows } from '@portico/contract/workbook/sheet-columns'
import { type RowWriting, valueRow } from '@portico/contract/workbook/value-rows'
import { sheetBeginning, sheetEnd } from '@portico/contract/workbook/workbook-parts'
import type { WrittenSheet } from './write-workbook.ts'

type Rows = readonly (readonly unknown[])[]

/** `nameNext` names each sheet; `rowsOfSheet`: most rows of one, with its header. */
type Sheets = RowWriting & { nameNext: () => string; rowsOfSheet?: number }

/** Rows that become text in one go: other work of the process waits for them. */
const rowsAtOnce = 500

/**
 * Rows of values as sheets: one, and a further one for the rows that a sheet cannot take. A page of rows is in memory at a time.
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
