import { isUtf8 } from 'node:buffer'
import type { Delimiter } from '../reading/separator-line.ts'
import { requireRatio } from '../reading/unpacking.ts'
import { readEntry } from '../reading/zip-file.ts'
import { readStyles } from './number-formats.ts'
import { SharedStrings, type SharedStringsOptions } from './shared-strings.ts'
import { SheetCells, sheetElements } from './sheet-cells.ts'
import { type SheetNotes, SheetWriter } from './sheet-writer.ts'
import { chooseSheet, type Workbook } from './workbook-file.ts'
import { utf8Of } from './xml-encoding.ts'
import { damagedXml, XmlScanner } from './xml-scanner.ts'

export type WorkbookOptions = SharedStringsOptions & {
  delimiter: Delimiter
  /** Name of the sheet; null for the first that is not hidden. */
  sheet: string | null
  /** Number of the header row: rows before it become blank lines. Null for the first row with a value. */
  headerLine?: number | null
  notes?: SheetNotes | undefined
  /** Gets the number of the file's bytes consumed, estimated by the progress in the sheet. */
  onBytesRead?: (sofar: number) => void
}

/**
 * Yields a sheet as delimited text in UTF-8. Each row is on the line with its number, as long as no cell has line
 * breaks: rows without values become blank lines. Rows are as wide as the header, the first row with values; a row with
 * a value further right has more cells.
 * @throws FileRefused if the workbook is damaged; SheetMissing if it has no such sheet
 */
export async function* readWorkbook(workbook: Workbook, options: WorkbookOptions): AsyncGenerator<Buffer> {
  const { delimiter, onBytesRead = () => {} } = options
  const { file, zip, isDate1904 } = workbook
  const { entry } = chooseSheet(workbook, options.sheet)
  const styles = await readStyles(workbook)
  const cells = new SheetCells({ delimiter, styles, isDate1904 })
  const scanner = new XmlScanner(sheetElements, cells)
  const strings = new SharedStrings(workbook, delimiter, options)
  const writer = new SheetWriter(strings, options)
  // Progress in the sheet is scaled to the whole file: the last byte of the sheet counts as the file's last one.
  const share = file.sizeBytes / Math.max(1, entry.compressedSize)
  const onRead = (sofar: number): void => onBytesRead(Math.min(file.sizeBytes, Math.round(sofar * share)))
  let written = 0
  try {
    for await (const chunk of utf8Of(readEntry(file, zip, entry, onRead))) {
      scanner.write(chunk)
      if (cells.rows.length === 0) continue
      for await (const text of writer.write(cells)) {
        written += text.length
        requireRatio(written, file.sizeBytes)
        // Many cells may share one text.
        file.meter?.count(text.length)
        await file.meter?.turn()
        if (!isUtf8(text)) throw damagedXml('its text is not UTF-8')
        yield text
      }
      cells.clear()
    }
    scanner.end()
  } finally {
    await strings.close()
  }
}
