import { fileNameProblem, hasEnding, workbookExtensions } from '@portico/contract/files'
import type { ImportDelimiter } from '@portico/contract/imports'
import type { RememberedHeader } from '@portico/contract/import-preview'
import { useCallback, useMemo, useRef, useState } from 'react'
import { type FileBeginning, type FileHeader, parseHeader, readBeginning, unclear } from './file-header.ts'
import { firstSheet, openWorkbook, type WorkbookFile } from './workbook/workbook-sheets.ts'

type ChosenFile = {
  file: File
  /** Null for other files, and if the browser cannot read it. */
  workbook: WorkbookFile | null
  sheet: string | null
  /** Columns of the sheet, if known. */
  columns: string[] | null
} & FileBeginning &
  HeaderChoice

/**
 * The header's line, null for the first line with a value, and whether unnamed columns get a name. `chosenFor`: the
 * import for which this was chosen; null for this one.
 */
type HeaderChoice = { headerLine: number | null; nameColumns: boolean; chosenFor: string | null }

const unknown: FileBeginning = { firstLine: null, likelyDelimiter: null }
const asInFile: HeaderChoice = { headerLine: null, nameColumns: false, chosenFor: null }

/**
 * The file to import, its problem, and its sheets and header if the browser can read them. `onDelimiter` gets the
 * delimiter that a chosen file seems to use.
 */
export function useImportFile(delimiter: ImportDelimiter, onDelimiter: (found: ImportDelimiter) => void) {
  const [chosen, setChosen] = useState<ChosenFile | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const header = useMemo(() => headerOf(chosen, delimiter), [chosen, delimiter])
  const latest = useRef<File | null>(null)

  async function choose(file: File): Promise<void> {
    const wrong = file.size === 0 ? 'The file is empty.' : fileNameProblem(file.name)
    setProblem(wrong)
    latest.current = wrong ? null : file
    if (wrong) return setChosen(null)
    const unread = { file, workbook: null, sheet: null, columns: null, ...unknown, ...asInFile }
    setChosen(unread)
    const found = await look(file)
    if (latest.current !== file) return
    setChosen({ ...unread, ...found })
    if (found.likelyDelimiter) onDelimiter(found.likelyDelimiter)
  }
  async function chooseSheet(sheet: string): Promise<void> {
    if (!chosen?.workbook) return
    setProblem(null)
    setChosen({ ...chosen, sheet, columns: null, ...asInFile })
    const columns = await columnsOf(chosen.workbook, sheet)
    setChosen((now) => (now?.file === chosen.file && now.sheet === sheet ? { ...now, columns } : now))
  }
  function chooseHeader(choice: Partial<Pick<HeaderChoice, 'headerLine' | 'nameColumns'>>): void {
    setProblem(null)
    setChosen((now) => now && { ...now, ...choice, chosenFor: null })
  }
  const rememberHeader = useCallback(({ name, ...choice }: RememberedHeader): void => {
    setChosen((now) => now && { ...now, ...choice, chosenFor: name })
  }, [])
  function remove(): void {
    latest.current = null
    setChosen(null)
    setProblem(null)
  }
  return {
    file: chosen?.file ?? null,
    header,
    /** The delimiter that the file seems to use; null if it is unknown. */
    likelyDelimiter: chosen?.likelyDelimiter ?? null,
    isWorkbook: chosen !== null && hasEnding(chosen.file.name, workbookExtensions),
    sheets: chosen?.workbook?.sheets ?? [],
    sheet: chosen?.sheet ?? null,
    headerLine: chosen?.headerLine ?? null,
    nameColumns: chosen?.nameColumns ?? false,
    chosenFor: chosen?.chosenFor ?? null,
    problem,
    setProblem,
    choose,
    chooseSheet,
    chooseHeader,
    rememberHeader,
    remove,
  }
}

/** A file that was chosen, and the name that its import was given. */
export type ChosenImport = { file: File; name: string }

export type ImportFile = ReturnType<typeof useImportFile>

/** The part of a call that says how the file is read: its sheet and its header, where they differ from the default. */
export const readingOf = ({ sheet, headerLine, nameColumns }: ImportFile) => ({
  ...(sheet !== null && { fileSheet: sheet }),
  ...(headerLine !== null && { headerLine }),
  ...(nameColumns && { nameColumns }),
})

/** The part of a file that the browser can read. The file may be gone or unreadable; the upload will report it. */
async function look(file: File): Promise<Partial<ChosenFile>> {
  if (!hasEnding(file.name, workbookExtensions)) return (await readBeginning(file).catch(() => null)) ?? {}
  const workbook = await openWorkbook(file).catch(() => null)
  if (!workbook) return {}
  const sheet = firstSheet(workbook.sheets)
  return { workbook, sheet, columns: sheet === null ? null : await columnsOf(workbook, sheet) }
}

const columnsOf = (workbook: WorkbookFile, sheet: string) => workbook.readColumns(sheet).catch(() => null)

function headerOf(chosen: ChosenFile | null, delimiter: ImportDelimiter): FileHeader | null {
  // Only the server knows a header on another line, or with generated names.
  if (chosen && (chosen.headerLine !== null || chosen.nameColumns)) return null
  if (chosen?.firstLine) return parseHeader(chosen.firstLine, delimiter)
  return chosen?.columns ? { columns: chosen.columns, ...unclear(chosen.columns) } : null
}
