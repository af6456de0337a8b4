import type { ImportPreview } from '@portico/contract/import-preview'
import { useEffect, useRef } from 'react'
import type { ImportFile } from './import-file.ts'
import type { NewImportForm } from './new-import-form-state.ts'

/** Applies the choices of the last import of a file with this header, once per file, where the user has made none. */
export function useRememberedChoices(
  form: NewImportForm,
  file: ImportFile,
  sent: number,
  preview: ImportPreview | null | undefined,
): void {
  useRememberedHeader(file, sent, preview)
  const applied = useRef(0)
  const { setValues } = form
  useEffect(() => {
    if (!preview?.remembered || applied.current === sent) return
    applied.current = sent
    const { columnMapping, onMismatchByField, columnTypes } = preview.remembered
    setValues((now) => {
      const made = [now.columnMapping, now.onMismatchByField, now.columnTypes]
      const isUntouched = made.every((one) => one === undefined || Object.keys(one).length === 0)
      return isUntouched ? { columnMapping, onMismatchByField, columnTypes } : {}
    })
  }, [preview, sent, setValues])
}

/** Applies the header line and names that were chosen for the last import of a file with this header. */
export function useRememberedHeader(file: ImportFile, sent: number, preview: ImportPreview | null | undefined): void {
  const applied = useRef(0)
  const { headerLine, nameColumns, rememberHeader } = file
  const remembered = preview?.header?.remembered
  useEffect(() => {
    if (!remembered || applied.current === sent) return
    applied.current = sent
    if (headerLine === null && !nameColumns) rememberHeader(remembered)
  }, [remembered, sent, headerLine, nameColumns, rememberHeader])
}
