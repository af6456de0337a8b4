import type { Upload } from '#files'
import { invalidField } from '#platform/app-error.ts'
import type { Storage } from '#platform/storage.ts'
import { keyPosition } from './events/event-plan.ts'
import { checkHeader, delimiterOf, findColumns, mapColumns } from './import-plan.ts'
import type { NewImportRow } from './imports.queries.ts'
import { readHeader } from './reading/record-scanner-header.ts'
import { openSourceText } from './reading/source-text.ts'
import { FileRefused } from './reading/source-text-refused.ts'

/** Settings that name columns of the file. */
type ColumnSettings = Pick<
  NewImportRow,
  | 'kind'
  | 'delimiter'
  | 'generate_purl'
  | 'purl_columns'
  | 'dedup_columns'
  | 'latitude_column'
  | 'longitude_column'
  | 'key_column'
> & { mapping: Record<string, string | null> | null; takesGuardsOff: boolean }

/** The text of an upload from the beginning; ending the iteration early closes the file. */
export function openUpload(storage: Storage, { storageKey, fileName, sizeBytes }: Upload): AsyncGenerator<Buffer> {
  const stream = (start?: number, end?: number) =>
    storage.read(storageKey, { ...(start !== undefined && { start }), ...(end !== undefined && { end }) })
  return openSourceText({ name: fileName, sizeBytes, unpackedBytes: storage.unpackedBytes, stream })
}

/**
 * Refuses settings that name columns which the uploaded file lacks. Other problems of the file are left to the import,
 * which reads all of it.
 * @throws invalid_input naming the setting
 */
export async function requireFileColumns(storage: Storage, upload: Upload, settings: ColumnSettings): Promise<void> {
  const header = await readColumns(storage, upload, settings)
  if (!header) return
  const { names, loaded } = header
  const requireAll = (field: string, setting: string, columns: readonly (string | null | undefined)[]) =>
    atField(field, () =>
      findColumns(
        loaded,
        names,
        columns.filter((name) => typeof name === 'string'),
        setting,
      ),
    )
  if (settings.kind === 'events') {
    atField('keyColumn', () => keyPosition(names, { key_column: settings.key_column ?? null }))
    return
  }
  requireAll('purlColumns', 'PURL column', settings.generate_purl ? settings.purl_columns : [])
  requireAll('dedupColumns', 'dedup column', settings.dedup_columns)
  requireAll('latitudeColumn', 'latitude column', [settings.latitude_column])
  requireAll('longitudeColumn', 'longitude column', [settings.longitude_column])
}

/** The header of the file and its loaded columns; null for a file that the import will reject. */
async function readColumns(storage: Storage, upload: Upload, settings: ColumnSettings) {
  try {
    const text = openUpload(storage, upload)
    const { names } = await readHeader(text, delimiterOf(settings.delimiter), settings.takesGuardsOff)
    checkHeader(names, settings.delimiter)
    if (settings.kind === 'events') return { names, loaded: [] }
    const targets = mapColumns(names, settings.mapping)
    return {
      names,
      loaded: targets.flatMap((name, position) => (name === null ? [] : [{ position, field: { name } }])),
    }
  } catch (error) {
    if (error instanceof FileRefused) return null
    throw error
  }
}

function atField(field: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof FileRefused) throw invalidField(field, error.message)
    throw error
  }
}
