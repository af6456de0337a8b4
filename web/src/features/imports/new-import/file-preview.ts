import { useMemo } from 'react'
import { isApiError } from '#lib/api/api-error.ts'
import { mappingProblems } from './column-mapping.ts'
import { type ImportFile, readingOf } from './import-file.ts'
import { useImportPreview } from '../imports-queries.ts'
import type { NewImportForm } from './new-import-form-state.ts'

/** Preview of the uploaded file, and its column mapping's problems. `isWrong`: the file cannot be imported as it is. */
export function useFilePreview(form: NewImportForm, file: ImportFile, sent: { file: File | null; count: number }) {
  const { fileDelimiter, typeCasting, columnMapping, generatePURL } = form.values
  const isSent = file.file !== null && sent.file === file.file
  const filePath = isSent ? file.file?.name : undefined
  const preview = useImportPreview(
    sent.count,
    filePath ? { filePath, fileDelimiter, ...readingOf(file), describeHeader: true, typeCasting } : null,
  )
  const { latitudeColumn, longitudeColumn, purlColumns, dedupColumns } = form.values
  const problems = useMemo(() => {
    const places = [latitudeColumn, longitudeColumn].filter((name) => name.trim() !== '')
    const needed = [...places, ...(generatePURL ? [...purlColumns, ...dedupColumns] : [])]
    return mappingProblems(preview.data?.columns ?? [], columnMapping, needed)
  }, [preview.data, columnMapping, latitudeColumn, longitudeColumn, generatePURL, purlColumns, dedupColumns])
  // Other failures may be temporary, and say nothing about the file.
  const refusal = preview.data?.header?.refusal ?? null
  const isRefused = isSent && (refusal !== null || isApiError(preview.error, 'invalid_input'))
  const previewed = useMemo(() => preview.data?.columns.map(({ name }) => name), [preview.data])
  // Only the server can read compressed files.
  const columns = file.header?.columns ?? (refusal === null ? previewed : null)
  return {
    preview,
    columns: columns ?? null,
    problems,
    isSent,
    isWrong: isRefused || Object.keys(problems).length > 0,
  }
}
