import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { CellStyles } from '@portico/contract/workbook/cell-styles'
import type { SheetColumn } from '@portico/contract/workbook/sheet-columns'
import { sheetNames } from '@portico/contract/workbook/sheet-names'
import { sheetBeginning, sheetEnd, sheetPath, workbookParts } from '@portico/contract/workbook/workbook-parts'
import { ZipFile } from 'yazl'
import { nextSheetMark } from './sheet-format.ts'

/** A sheet of a workbook: its name, and its XML. */
export type WrittenSheet = { name: string; content: AsyncIterable<Buffer | string> }

// The fastest: stronger levels take twice the time for a slightly smaller file.
const compressionLevel = 1

/**
 * Returns a workbook of these sheets, written while it is read: each sheet is requested once the one before has been
 * read. `styles` are those that the cells refer to.
 */
export function packWorkbook(sheets: AsyncIterable<WrittenSheet>, styles: CellStyles): Readable {
  const zip = new ZipFile()
  // The types only declare a writable stream; the library returns one that is readable too.
  const content = zip.outputStream as Readable
  writeParts(zip, sheets, styles).catch(
    (error: unknown) => void content.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  return content
}

async function writeParts(zip: ZipFile, sheets: AsyncIterable<WrittenSheet>, styles: CellStyles): Promise<void> {
  const names: string[] = []
  for await (const { name, content } of sheets) {
    names.push(name)
    const sheet = Readable.from(content)
    zip.addReadStream(sheet, sheetPath(names.length), { compressionLevel })
    // Also rejects with an error of the sheet.
    await once(sheet, 'close').then(() => sheet.errored && Promise.reject(sheet.errored))
  }
  for (const [path, text] of workbookParts(names, styles)) zip.addBuffer(Buffer.from(text), path)
  zip.end()
}

type Sheet = { name: string; columns: readonly SheetColumn[]; styles: CellStyles }

/** Returns a workbook of the rows of `SheetFormat`. Each sheet has the header; rows that do not fit go to the next. */
export function createWorkbook(rows: Readable, sheet: Sheet): Readable {
  const content = packWorkbook(cutIntoSheets(rows, sheet), sheet.styles)
  rows.on('error', (error) => content.destroy(error))
  return content
}

async function* cutIntoSheets(rows: Readable, { name, columns }: Sheet): AsyncGenerator<WrittenSheet> {
  const cut = cutSheets(rows)
  const nameNext = sheetNames()
  do yield { name: nameNext(name), content: oneSheet(sheetBeginning(columns), cut) }
  while (cut.isMore())
}

async function* oneSheet(beginning: string, cut: ReturnType<typeof cutSheets>): AsyncGenerator<Buffer | string> {
  yield beginning
  for (let piece = await cut.next(); piece !== null; piece = await cut.next()) yield piece
  yield sheetEnd
}

/** Returns the chunks of one sheet after the other: `next` returns null at the end of each. */
function cutSheets(rows: Readable) {
  const pieces = (rows as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let rest: Buffer | null = null
  return {
    /** Returns whether another sheet follows, after the end of one. */
    isMore: (): boolean => rest !== null,
    next: async (): Promise<Buffer | null> => {
      let piece: Buffer | null = rest
      rest = null
      if (piece === null) {
        const { done, value } = await pieces.next()
        if (done) return null
        piece = value
      }
      const end = piece.indexOf(nextSheetMark)
      if (end === -1) return piece
      if (end > 0) {
        rest = piece.subarray(end)
        return piece.subarray(0, end)
      }
      rest = piece.subarray(1)
      return null
    },
  }
}
