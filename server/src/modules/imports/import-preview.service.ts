import { normalizeText } from '@portico/domain/unicode'
import {
  effectOf,
  loadedTypeOf,
  mismatchChoice,
  type ImportPreview,
  type PreviewColumn,
  previewRows,
} from '@portico/contract/import-preview'
import type { AccountId } from '@portico/contract/accounts'
import type { ImportDelimiter, MismatchByField, MismatchChoice } from '@portico/contract/imports'
import { findByName, foldName } from '@portico/domain/names'
import { type ContactField, listContactFields } from '#contacts'
import { findUpload } from '#files'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { delimiterName, emptyRowsOnly, hasReportColumns, headerOnly, noneFits } from './import-plan.ts'
import { readFileHeader, uploadedFile } from './import-file-columns.ts'
import { takesGuardsOff } from './import-guards.service.ts'
import { SampleReadings } from './import-sample-readings.ts'
import { selectImportWithHeader } from './imports.queries.ts'
import { noMisfits, readSample, type Sample, sampledRecords, sampledTexts } from './import-sample.ts'
import type { SourceFile } from './reading/source-file.ts'
import { openSourceText } from './reading/source-text.ts'
import { FileRefused } from './reading/source-text-refused.ts'
import { readInRequest } from './requests/request-reading.ts'
import { SheetMissing } from './workbook/workbook-file.ts'

type PreviewOptions = {
  filePath: string
  fileDelimiter: ImportDelimiter
  fileSheet?: string | undefined
  typeCasting: boolean
  onMismatch?: MismatchChoice | undefined
  onMismatchByField?: MismatchByField | undefined
}

/**
 * Previews an import from the beginning of an uploaded file, without changing anything: the content of its columns, the
 * fields they would feed, and the fields that would be added or widened.
 * @throws invalid_input naming `filePath`, with the message that the import itself would be rejected with, or for a file
 * whose beginning takes too long to read; too_many_requests
 */
export async function previewImport(
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal },
  account: AccountId,
  options: PreviewOptions,
  by: string,
): Promise<ImportPreview> {
  const { filePath } = options
  const upload = await findUpload(db, storage, account, { fileName: filePath, by })
  if (!upload) throw invalidField('filePath', `No file named "${filePath}" has been uploaded.`)
  return readInRequest(uploadedFile(storage, upload), signal, (file) => previewFile(db, account, file, options))
}

async function previewFile(
  db: Db,
  account: AccountId,
  file: SourceFile,
  { fileDelimiter, fileSheet, ...options }: PreviewOptions,
): Promise<ImportPreview> {
  const fields = await listContactFields(db, account)
  try {
    const unguarded = await takesGuardsOff(db, account, fileDelimiter)
    const asked = { delimiter: fileDelimiter, takesGuardsOff: unguarded, sheet: fileSheet ?? null }
    const { names, workbook, sheet, delimiter } = await readFileHeader(file, asked)
    const notes = { mostRows: sampledRecords(names.length), hiddenRows: 0, errorCells: 0 }
    const text = openSourceText(file, { delimiter, sheet, notes, tableBytes: sampledTexts })
    const { types, misfits, readings, unread, count, setAsideCount, ...sample } = await readSample(text, {
      delimiter,
      columns: names.length,
      shownRows: previewRows,
      meter: file.meter,
      takesGuardsOff: sheet === null && (await takesGuardsOff(db, account, delimiterName(delimiter))),
    })
    if (sample.isWhole && count === 0) throw new FileRefused(sample.emptyRows === 0 ? headerOnly : emptyRowsOnly)
    if (sample.isWhole && count === setAsideCount) throw new FileRefused(noneFits(count, sample.setAside[0]))
    const known = types.map((type, position) => type ?? (unread.has(position) ? 'string' : null))
    const columns = describeColumns(names, { types: known, misfits, readings }, fields, options)
    const { hiddenRows, errorCells } = notes
    const sheets = (workbook?.sheets ?? []).map(({ name, isHidden }) => ({ name, hidden: isHidden }))
    const figures = { sampledRows: count, setAsideRows: setAsideCount, hiddenRows, errorCells }
    const remembered = await rememberedChoices(db, account, names)
    return { ...sample, ...figures, columns, sheets, sheet, remembered }
  } catch (error) {
    if (error instanceof SheetMissing) throw invalidField('fileSheet', error.message)
    if (error instanceof FileRefused) throw invalidField('filePath', error.message)
    throw error
  }
}

/** The choices of the last import of a file with this header. */
async function rememberedChoices(
  db: Db,
  account: AccountId,
  names: readonly string[],
): Promise<ImportPreview['remembered']> {
  const row = await selectImportWithHeader(db, account, names)
  if (!row) return null
  const { column_mapping: columnMapping, on_mismatch_by_field: onMismatchByField, column_types: columnTypes } = row
  return {
    name: row.name,
    columnMapping: columnMapping ?? {},
    onMismatchByField: onMismatchByField ?? {},
    columnTypes: columnTypes ?? {},
  }
}

function describeColumns(
  names: readonly string[],
  { types, misfits, readings }: Pick<Sample, 'types' | 'misfits' | 'readings'>,
  fields: readonly ContactField[],
  options: Omit<PreviewOptions, 'fileDelimiter' | 'fileSheet'>,
): PreviewColumn[] {
  const find = findByName(fields, (field) => field.name)
  // A field named exactly by another column belongs to that column.
  const findLikely = likelyFields(fields, names)
  const isReport = hasReportColumns(names)
  return names.map((name, position) => {
    const known = find(name) ?? null
    const meant = known ? null : findLikely(name)
    const found = types[position] ?? null
    const described = (readings[position] ?? new SampleReadings()).describe()
    // As the import decides it.
    const type = !known && found === 'number' && readings[position]?.isCode ? 'string' : found
    const column = { type: type ?? 'string', isEmpty: type === null }
    const choice = mismatchChoice(options, known?.name ?? name)
    return {
      ...column,
      name,
      field: known && { name: known.name, type: known.type },
      suggestion: meant && { name: meant.name, type: meant.type },
      misfits: misfits[position] ?? noMisfits(),
      ...described,
      effect: effectOf(column, known, choice),
      loadedType: loadedTypeOf(column, known, { typeCasting: options.typeCasting, choice }),
      isReport: isReport && position < 2,
    }
  })
}

/** Words with the same meaning, each in the form of `plainName`. */
const synonyms = [
  ['email', 'mail', 'emailaddress', 'mailaddress'],
  ['firstname', 'givenname', 'forename', 'vorname'],
  ['lastname', 'surname', 'familyname', 'nachname'],
  ['phone', 'phonenumber', 'telephone', 'tel', 'mobile', 'mobilephone', 'cell', 'cellphone'],
  ['zip', 'zipcode', 'postalcode', 'postcode', 'plz'],
  ['address', 'address1', 'addressline1', 'street', 'streetaddress'],
  ['company', 'companyname', 'organization', 'organisation', 'employer'],
  ['birthday', 'birthdate', 'dateofbirth', 'dob'],
  ['latitude', 'lat'],
  ['longitude', 'lng', 'lon', 'long'],
  ['country', 'countryname'],
  ['state', 'province', 'region'],
]

/**
 * Finds the only field whose name is equal but for spaces, punctuation and case, or means the same; null when none or
 * several are. Each field is found once, and none of the names in `ownNames`.
 */
function likelyFields(
  fields: readonly ContactField[],
  ownNames: readonly string[],
): (name: string) => ContactField | null {
  const own = new Set(ownNames.map(foldName))
  const free = Map.groupBy(
    fields.filter((field) => !own.has(foldName(field.name))),
    (field) => plainName(field.name),
  )
  return (name) => {
    const plain = plainName(name)
    const alike = free.get(plain) ?? []
    const words = alike.length > 0 ? [plain] : (synonyms.find((group) => group.includes(plain)) ?? [])
    const [found, ...others] = words.flatMap((word) => free.get(word) ?? [])
    if (!found || others.length > 0 || plain === '') return null
    const known = plainName(found.name)
    free.set(
      known,
      (free.get(known) ?? []).filter((field) => field !== found),
    )
    return found
  }
}

const plainName = (name: string): string =>
  normalizeText(name, 'NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
