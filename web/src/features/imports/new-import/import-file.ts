import { fileNameProblem } from '@portico/contract/files'
import type { ImportDelimiter } from '@portico/contract/imports'
import { useMemo, useState } from 'react'
import { type FirstLine, isPlainText, parseHeader, readFirstLine } from './file-header.ts'

/** The file to import, what is wrong with it, and the header where the browser can read it. */
export function useImportFile(delimiter: ImportDelimiter) {
  const [chosen, setChosen] = useState<{ file: File; firstLine: FirstLine | null } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const header = useMemo(
    () => (chosen?.firstLine ? parseHeader(chosen.firstLine, delimiter) : null),
    [chosen, delimiter],
  )

  async function choose(file: File): Promise<void> {
    const wrong = file.size === 0 ? 'The file is empty.' : fileNameProblem(file.name)
    setProblem(wrong)
    if (wrong) return setChosen(null)
    setChosen({ file, firstLine: null })
    if (!isPlainText(file.name)) return
    // The file may be gone, or the browser may not be allowed to read it; the upload will tell.
    const firstLine = await readFirstLine(file).catch(() => null)
    setChosen((now) => (now?.file === file ? { file, firstLine } : now))
  }
  function remove(): void {
    setChosen(null)
    setProblem(null)
  }
  return { file: chosen?.file ?? null, header, problem, setProblem, choose, remove }
}

export type ImportFile = ReturnType<typeof useImportFile>
