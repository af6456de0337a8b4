import type { ImportPreview } from '@portico/contract/import-preview'
import { useEffect, useRef } from 'react'
import type { ImportFile } from './import-file.ts'
import type { NewImportForm } from './new-import-form-state.ts'
import type { NewImportValues } from './new-import-rules.ts'

/** Applies the choices of the last import of a file with this header, once per file, where the user has made none. */
export function useRememberedChoices(
  form: NewImportForm,
  file: ImportFile,
  sent: number,
  preview: ImportPreview | null | undefined,
): void {
  useRememberedHeader(file, sent, preview)
  const applied = useRef({ sent: 0, choices: noChoices })
  const { getValues, setValues } = form
  useEffect(() => {
    // Choices are found again by the header, which may have to be resolved first.
    if (!preview || (preview.header?.refusal ?? null) !== null || applied.current.sent === sent) return
    // Those remembered for another file give way to those of this one.
    const isUntouched = isSame(getValues(), applied.current.choices)
    const choices = preview.remembered ?? noChoices
    applied.current = { sent: preview.remembered ? sent : applied.current.sent, choices }
    const { columnMapping, onMismatchByField, columnTypes } = choices
    if (isUntouched && !isSame(getValues(), choices)) setValues({ columnMapping, onMismatchByField, columnTypes })
  }, [preview, sent, getValues, setValues])
}

type Choices = Pick<NewImportValues, 'columnMapping' | 'onMismatchByField' | 'columnTypes'>

const noChoices: Choices = { columnMapping: {}, onMismatchByField: {}, columnTypes: {} }

const isSame = (one: Choices, other: Choices): boolean =>
  (['columnMapping', 'onMismatchByField', 'columnTypes'] as const).every(
    (choice) => JSON.stringify(one[choice]) === JSON.stringify(other[choice]),
  )

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
