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
import type { ImportDelimiter, ImportKind, MismatchByField, MismatchChoice } from '@portico/contract/imports'
import { findByName, foldName } from '@portico/domain/names'
import { accountTimeZone } from '#accounts'
import { type ContactField, listContactFields } from '#contacts'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Storage } from '#platform/storage.ts'
import { delimiterName, emptyRowsOnly, hasReportColumns, headerOnly, noneFits } from './import-plan.ts'
import { settleNames } from './header/column-names.ts'
import { describeHeader, describeRefused, firstLinesOf } from './header/describe-header.ts'
import {
  type FileHeader,
  type HeaderSettings,
  readFileHeader,
  requireUpload,
  uploadedFile,
} from './import-file-columns.ts'
import { takesGuardsOff } from './import-guards.service.ts'
import { noReadings } from './import-sample-readings.ts'
import { findRememberedHeader } from './header/remembered-header.ts'
import { selectChosenHeaders, selectImportWithHeader } from './imports.queries.ts'
import { noMisfits, readSample, type Sample, sampledRecords, sampledTexts } from './import-sample.ts'
import type { SourceFile } from './reading/source-file.ts'
import { openSourceText } from './reading/source-text.ts'
import { FileRefused, HeaderMissing } from './reading/source-text-refused.ts'
import { readInRequest } from './requests/request-reading.ts'
import { SheetMissing } from './workbook/workbook-file.ts'

type PreviewOptions = {
  filePath: string
  fileDelimiter: ImportDelimiter
  fileSheet?: string | undefined
  headerLine?: number | undefined
  nameColumns?: boolean | undefined
  describeHeader?: boolean | undefined
  typeCasting: boolean
  kind?: ImportKind | undefined
  onMismatch?: MismatchChoice | undefined
  onMismatchByField?: MismatchByField | undefined
}

/**
 * Previews an import from the beginning of an uploaded file, without changing anything: the content of its columns, the
 * fields they would feed, and the fields that would be added or widened.
 * @throws invalid_input naming `filePath`, or `headerLine` if no header begins there, with the message with which the
 * import itself would be rejected, or for a file whose beginning takes too long to read; too_many_requests
 */
export async function previewImport(
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal },
  account: AccountId,
  options: PreviewOptions,
  by: string,
): Promise<ImportPreview> {
  const find = async (until: AbortSignal) =>
    uploadedFile(storage, await requireUpload({ db, storage, signal: until }, account, { ...options, by }))
  return readInRequest(find, signal, (file) => previewFile(db, account, file, options))
}

async function previewFile(
  db: Db,
  account: AccountId,
  file: SourceFile,
  options: PreviewOptions,
): Promise<ImportPreview> {
  const settings = {
    delimiter: options.fileDelimiter,
    takesGuardsOff: await takesGuardsOff(db, account, options.fileDelimiter),
    sheet: options.fileSheet ?? null,
    headerLine: options.headerLine ?? null,
    nameColumns: options.nameColumns ?? false,
  }
  // Before the rows, which may use up all that a request may read.
  const lines = options.describeHeader ? await firstLinesOf(file, settings) : []
  const remembered = await findRememberedHeader(file, settings, lines, (most) => selectChosenHeaders(db, account, most))
  try {
    const header = await readFileHeader(file, settings)
    const { firstValues, ...preview } = await previewColumns({ db, account, file }, header, settings, options)
    if (!options.describeHeader) return { ...preview, header: null }
    return { ...preview, header: { ...describeHeader(header, firstValues, lines, settings), remembered } }
  } catch (error) {
    if (error instanceof SheetMissing) throw invalidField('fileSheet', error.message)
    if (!(error instanceof FileRefused)) throw error
    if (lines.length > 0) {
      return { ...nothing, header: { ...(await describeRefused(file, settings, lines, error)), remembered } }
    }
    throw invalidField(error instanceof HeaderMissing ? 'headerLine' : 'filePath', error.message)
  }
}

/** The other parts of the preview of a file that is described only by its first lines. */
const nothing = {
  columns: [],
  rows: [],
  sampledRows: 0,
  isWhole: false,
  setAsideRows: 0,
  emptyRows: 0,
  setAside: [],
  sheets: [],
  sheet: null,
  hiddenRows: 0,
  errorCells: 0,
  remembered: null,
}

/** Returns the sample under a header, and the lines of the first values of its columns. @throws FileRefused */
async function previewColumns(
  { db, account, file }: { db: Db; account: AccountId; file: SourceFile },
  { columns: header, workbook, sheet, delimiter }: FileHeader,
  { headerLine }: Pick<HeaderSettings, 'headerLine'>,
  options: PreviewOptions,
): Promise<Omit<ImportPreview, 'header'> & Pick<Sample, 'firstValues'>> {
  const width = header.names.length
  const notes = { mostRows: sampledRecords(width), hiddenRows: 0, errorCells: 0 }
  const text = openSourceText(file, { delimiter, sheet, headerLine, notes, tableBytes: sampledTexts })
  const timeZone = await accountTimeZone(db, account)
  const { types, misfits, readings, unread, count, setAsideCount, ...sample } = await readSample(text, {
    delimiter,
    columns: width,
    shownRows: previewRows,
    meter: file.meter,
    timeZone,
    takesGuardsOff: sheet === null && (await takesGuardsOff(db, account, delimiterName(delimiter))),
  })
  const names = settleNames(header, sample.firstValues)
  if (sample.isWhole && count === 0) throw new FileRefused(sample.emptyRows === 0 ? headerOnly : emptyRowsOnly)
  if (sample.isWhole && count === setAsideCount) throw new FileRefused(noneFits(count, sample.setAside[0]))
  const known = types.map((type, position) => type ?? (unread.has(position) ? 'string' : null))
  const fields = await listContactFields(db, account)
  const { hiddenRows, errorCells } = notes
  return {
    ...sample,
    columns: describeColumns(names, { types: known, misfits, readings }, fields, options),
    rows: sample.rows.map((cells) => cells.filter((_cell, at) => names[at] !== '')),
    sampledRows: count,
    setAsideRows: setAsideCount,
    hiddenRows,
    errorCells,
    sheets: (workbook?.sheets ?? []).map(({ name, isHidden }) => ({ name, hidden: isHidden })),
    sheet,
    remembered: await rememberedChoices(db, account, { kind: options.kind ?? 'contacts', names }),
  }
}

/** Returns the choices made in the last import of a file with this header. */
async function rememberedChoices(
  db: Db,
  account: AccountId,
  file: { kind: ImportKind; names: readonly string[] },
): Promise<ImportPreview['remembered']> {
  const row = await selectImportWithHeader(db, account, file)
  if (!row) return null
  const { column_mapping: columnMapping, on_mismatch_by_field: onMismatchByField, column_types: columnTypes } = row
  return {
    name: row.name,
    keyColumn: row.key_column,
    keyField: row.key_field,
    columnMapping: columnMapping ?? {},
    onMismatchByField: onMismatchByField ?? {},
    columnTypes: columnTypes ?? {},
  }
}

function describeColumns(
  names: readonly string[],
  { types, misfits, readings }: Pick<Sample, 'types' | 'misfits' | 'readings'>,
  fields: readonly ContactField[],
  options: Pick<PreviewOptions, 'typeCasting' | 'onMismatch' | 'onMismatchByField'>,
): PreviewColumn[] {
  const find = findByName(fields, (field) => field.name)
  // A field whose exact name is that of another column belongs to that column.
  const findLikely = likelyFields(fields, names)
  const isReport = hasReportColumns(names)
  return names.flatMap((name, position) => {
    // A blank column without a value is left out.
    if (name === '') return []
    const known = find(name) ?? null
    const meant = known ? null : findLikely(name)
    const found = types[position] ?? null
    const described = readings[position]?.describe() ?? noReadings
    // By the same rule as the import.
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

/** Words with the same meaning, each in the form returned by `plainName`. */
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
 * Finds the only field whose name is equal except for spaces, punctuation and case, or has the same meaning; null if
 * there is none or more than one. Each field is found once, and fields named in `ownNames` never.
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
