import type { ImportPreview } from '@portico/contract/import-preview'
import { useEffect, useRef } from 'react'
import type { NewImportForm } from './new-import-form-state.ts'

/** Applies the choices of the last import of a file with this header, once per file, where the user has made none. */
export function useRememberedChoices(
  form: NewImportForm,
  sent: number,
  preview: ImportPreview | null | undefined,
): void {
  const applied = useRef(0)
  const { setValues } = form
  useEffect(() => {
    if (!preview?.remembered || applied.current === sent) return
    applied.current = sent
    const { name: _name, ...choices } = preview.remembered
    setValues((now) => {
      const made = [now.columnMapping, now.onMismatchByField, now.columnTypes]
      return made.every((one) => one === undefined || Object.keys(one).length === 0) ? choices : {}
    })
  }, [preview, sent, setValues])
}
