import type { ImportDelimiter } from '@portico/contract/imports'
import type { AccountId } from '@portico/contract/accounts'
import { findUpload, type Upload } from '#files'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { keyPosition } from './events/event-plan.ts'
import { type ColumnNames, isUnclear, nameColumns } from './header/column-names.ts'
import { delimiterName, delimiterOf, findColumns, mapColumns } from './import-plan.ts'
import type { NewImportRow } from './imports.queries.ts'
import { readHeader } from './reading/record-scanner-header.ts'
import type { Delimiter } from './reading/separator-line.ts'
import type { SourceFile } from './reading/source-file.ts'
import { listSheets, openSourceText } from './reading/source-text.ts'
import { FileRefused, HeaderMissing } from './reading/source-text-refused.ts'
import { readInRequest } from './requests/request-reading.ts'
import { chooseSheet, SheetMissing, type Workbook } from './workbook/workbook-file.ts'

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
  | 'file_sheet'
  | 'header_line'
> & {
  mapping: Record<string, string | null> | null
  mismatchFields: readonly string[]
  typedColumns: readonly string[]
  takesGuardsOff: boolean
  name_columns: boolean
}

/** An upload in the form that readers take, read from the storage. */
export function uploadedFile(storage: Storage, { storageKey, fileName, sizeBytes }: Upload): SourceFile {
  const stream = (start?: number, end?: number) =>
    storage.read(storageKey, { ...(start !== undefined && { start }), ...(end !== undefined && { end }) })
  return { name: fileName, sizeBytes, unpackedBytes: storage.unpackedBytes, stream }
}

/** Finds an uploaded file by its name. @throws invalid_input naming `filePath` */
export async function requireUpload(
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal | null },
  account: AccountId,
  { filePath, by }: { filePath: string; by: string | null },
): Promise<Upload> {
  const upload = await findUpload(db, storage, account, { fileName: filePath, by, signal })
  if (!upload) throw invalidField('filePath', `No file named "${filePath}" has been uploaded.`)
  return upload
}

/**
 * Refuses settings that name a sheet, a header line or columns missing from the uploaded file. Other problems of the
 * file are left to the import, which reads all of it, as are columns that a request cannot find without reading too
 * much.
 * @param find finds the upload, in the turn of the request
 * @returns the upload, and the name of the imported sheet; null for a file without sheets
 * @throws invalid_input naming the setting; too_many_requests
 */
export async function requireFileColumns(
  { storage, signal }: { storage: Storage; signal: AbortSignal | null },
  find: (signal: AbortSignal | null) => Promise<Upload>,
  settings: ColumnSettings,
): Promise<{ upload: Upload; sheet: string | null }> {
  let upload: Upload | undefined
  const open = async (until: AbortSignal | null) => uploadedFile(storage, (upload = await find(until)))
  const header = signal
    ? await readInRequest(open, signal, (limited) => readColumns(limited, settings))
    : await readColumns(await open(null), settings)
  if (header.names) requireNamed(header.names, header.loaded, settings)
  if (!upload) throw new Error('A file was read that was not found.')
  return { upload, sheet: header.sheet }
}

function requireNamed(names: readonly string[], loaded: readonly LoadedColumn[], settings: ColumnSettings): void {
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
  requireAll('onMismatchByField', 'field', settings.mismatchFields)
  requireAll('columnTypes', 'column', settings.typedColumns)
  requireAll('latitudeColumn', 'latitude column', [settings.latitude_column])
  requireAll('longitudeColumn', 'longitude column', [settings.longitude_column])
}

type LoadedColumn = { position: number; field: { name: string } }

export type HeaderSettings = {
  delimiter: ImportDelimiter
  takesGuardsOff: boolean
  sheet: string | null
  headerLine: number | null
  nameColumns: boolean
}

export type FileHeader = {
  columns: ColumnNames
  /** Line on which the header begins. */
  line: number
  workbook: Workbook | null
  sheet: string | null
  delimiter: Delimiter
}

/**
 * Reads the sheet and the header of a file, and its delimiter: the chosen one, unless the file's first line names
 * another.
 * @throws FileRefused
 */
export async function readFileHeader(file: SourceFile, settings: HeaderSettings): Promise<FileHeader> {
  const { headerLine, nameColumns: areNamed } = settings
  const chosen = delimiterOf(settings.delimiter)
  const workbook = await listSheets(file)
  const sheet = workbook ? chooseSheet(workbook, settings.sheet).name : settings.sheet
  const isSheet = sheet !== null
  const text = openSourceText(file, { delimiter: chosen, sheet, headerLine })
  const takesGuardsOff = settings.takesGuardsOff && !isSheet
  const { names, line, delimiter } = await readHeader(text, { delimiter: chosen, takesGuardsOff, headerLine })
  const columns = nameColumns(names, { areNamed, delimiter: isSheet ? null : delimiterName(delimiter) })
  return { columns, line, workbook, sheet, delimiter }
}

/**
 * Reads the sheet, and the header of the file with its loaded columns; the latter are missing for a file that the
 * import will reject.
 */
async function readColumns(
  file: SourceFile,
  settings: ColumnSettings,
): Promise<{ sheet: string | null; names: string[] | null; loaded: LoadedColumn[] }> {
  const asked = settings.file_sheet ?? null
  try {
    const { delimiter, takesGuardsOff, header_line: headerLine = null, name_columns: areNamed } = settings
    const options = { delimiter, takesGuardsOff, sheet: asked, headerLine, nameColumns: areNamed }
    const { columns, sheet } = await readFileHeader(file, options)
    const { names } = columns
    if (isUnclear(columns)) return { sheet, names: null, loaded: [] }
    if (settings.kind === 'events') return { sheet, names, loaded: [] }
    const targets = mapColumns(names, settings.mapping)
    const loaded = targets.flatMap((name, position) => (name === null ? [] : [{ position, field: { name } }]))
    return { sheet, names, loaded }
  } catch (error) {
    if (error instanceof SheetMissing) throw invalidField('fileSheet', error.message)
    if (error instanceof HeaderMissing) throw invalidField('headerLine', error.message)
    if (error instanceof FileRefused) return { sheet: await sheetOf(file, asked), names: null, loaded: [] }
    throw error
  }
}

/** Returns the sheet for which an import rejects the file, if there is one. */
async function sheetOf(file: SourceFile, asked: string | null): Promise<string | null> {
  try {
    const workbook = await listSheets(file)
    return workbook && chooseSheet(workbook, asked).name
  } catch (error) {
    if (error instanceof FileRefused) return asked
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
