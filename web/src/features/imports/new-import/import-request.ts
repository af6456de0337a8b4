import type { PreviewColumn } from '@portico/contract/import-preview'
import type { NewImport } from '@portico/contract/imports'
import { choicesOf, type KnownField, mappingOf, previewedFields, typesOf } from './column-mapping.ts'
import { type ImportFile, readingOf } from './import-file.ts'
import { type Locks, type NewImportValues, toNewImport } from './new-import-rules.ts'

type Known = {
  file: ImportFile
  locks: Locks
  /** Columns of the preview; empty without one. */
  columns: readonly PreviewColumn[]
  /** Undefined for users who may not see them. */
  fields: readonly KnownField[] | undefined
}

/** The body of the call that imports the chosen file, or reviews its import. */
export function importRequest(values: NewImportValues, fileName: string, known: Known): NewImport {
  const { file, locks, columns, fields } = known
  const { columnMapping, typeCasting, onMismatchByField, columnTypes } = values
  const options = {
    fields: fields ?? previewedFields(columns),
    typeCasting,
    choices: onMismatchByField,
    types: columnTypes,
  }
  const asChosen = {
    mapping: mappingOf(columnMapping, columns),
    choices: choicesOf(columns, columnMapping, options),
    types: typesOf(columns, columnMapping, options),
  }
  return { ...toNewImport(values, fileName, locks, asChosen), ...readingOf(file) }
}
