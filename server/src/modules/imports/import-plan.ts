import { fieldNameMaxLength, type FieldType, internalFieldNames } from '@portico/contract/contacts'
import { hasHiddenCharacters } from '@portico/contract/import-header'
import { reportColumns } from '@portico/contract/import-preview'
import type { ColumnReading, ImportDelimiter, ImportKind } from '@portico/contract/imports'
import { eventPrefix } from '@portico/domain/pipeline/pipeline'
import { foldName, isSameName, tidyName } from '@portico/domain/names'
import { type ContactField } from '#contacts'
import type { StrictColumn } from './reading/misfit-cells.ts'
import type { Delimiter } from './reading/separator-line.ts'
import { FileRefused } from './reading/source-text-refused.ts'

/** A column of the file and the field it feeds. */
export type PlannedColumn = {
  /** Position in the file, from 0. */
  position: number
  field: ContactField
}

/** Columns whose misfits are left out or that have a chosen reading, and columns whose misfits set their rows aside. */
export type PlannedMisfits = {
  cells: StrictColumn[]
  rows: StrictColumn[]
  /**
   * Positions of the loaded columns, if rows without a value in any of them are set aside. Absent if there are no such
   * rows, and in plans of earlier releases, which created empty contacts from them.
   */
  loaded?: number[]
}

/**
 * Plan for loading a file, made once after the first read. Stored with the import: a worker that takes over continues
 * in exactly the same way.
 */
export type ImportPlan = {
  /** Good rows of the file, numbered from 0; rows set aside have no number. */
  rows: number
  /** Columns of the file, including those left out. */
  fileColumns: number
  /** Columns that are loaded, in file order. */
  columns: PlannedColumn[]
  /** Positions at which staging starts a new table, see `stageGroups`. */
  groupStarts: number[]
  /**
   * `direct`: rows go straight from the file into the contacts, since nothing has to be looked up.
   * `staged`: rows go into staging tables first, where dedup keys and PURLs are computed for the whole file.
   */
  path: 'direct' | 'staged'
  /** True when the account had no contacts: their indexes are then built after loading, which is much faster. */
  buildsIndexes: boolean
  /** Cells that do not fit; absent if all fit, and in plans of earlier releases, which widened fields. */
  misfits?: PlannedMisfits
  /** Empty rows have no number. Plans of earlier releases numbered them, and are still executed in that way. */
  skipsEmptyRows?: true
}

/** Reason for rejecting a file without any row, good or bad. */
export const headerOnly = 'The file has only a header, and no rows to import.'
/** Reason for rejecting a file whose rows are all empty. */
export const emptyRowsOnly = 'The file has only a header and empty rows, and nothing to import.'
/** Reason for rejecting a file whose rows are all set aside, with the reason of the first one. */
export function noneFits(rows: number, first: { line: number; reason: string } | undefined): string {
  const none = rows === 1 ? 'The only row' : `None of the ${rows.toLocaleString('en-US')} rows`
  return `${none} can${rows === 1 ? 'not' : ''} be loaded.${first ? ` Line ${first.line}: ${first.reason}` : ''}`
}

/** Files with more columns are staged in several tables, for the reason given at `columnsPerPart` of `#contacts`. */
const columnsPerStage = 300

/** The delimiters by their names. */
export const signs: Record<ImportDelimiter, string> = { comma: ',', tab: '\t', pipe: '|', semicolon: ';' }
export const delimiterOf = (delimiter: ImportDelimiter) => signs[delimiter] as Delimiter

/** The delimiter of a text file; null for a sheet, which has none. */
export const delimiterOfText = (row: {
  delimiter: ImportDelimiter
  file_sheet: string | null
}): ImportDelimiter | null => (row.file_sheet === null ? row.delimiter : null)

/** The name of a delimiter. */
export const delimiterName = (sign: Delimiter): ImportDelimiter =>
  // The names are the keys.
  (Object.keys(signs) as ImportDelimiter[]).find((name) => signs[name] === sign) ?? 'comma'

/** Returns why a name cannot name a field; null if it can. */
export function fieldNameProblem(name: string, column: number): string | null {
  if (Array.from(name).length > fieldNameMaxLength) {
    return `The name of column ${column} is longer than ${fieldNameMaxLength} characters.`
  }
  if (!hasHiddenCharacters(name)) return null
  return `The name of column ${column} contains a character that cannot be displayed, such as a line break or a tab.`
}

/**
 * Returns the field name for each column of the file, or null for a column that is left out (`columnMapping`) or has no
 * name.
 * @throws FileRefused when two columns feed one field, when a field's name is empty or reserved (reserved names are
 * allowed as the key of an event file), or when no column is left to load
 */
export function mapColumns(
  header: readonly string[],
  mapping: Record<string, string | null> | null,
  kind: ImportKind = 'contacts',
): (string | null)[] {
  // A corrected report is imported for its contacts: its line and reason columns are ignored.
  const settled = hasReportColumns(header) ? reportColumns.map((name) => [name, null] as const) : []
  const wanted = new Map([...settled, ...Object.entries(mapping ?? {})].map(([from, to]) => [foldName(from), to]))
  const names = header.map((name) => {
    // A blank column is left out, or makes the file refused: see `settleNames`.
    if (name === '') return null
    const to = wanted.get(foldName(name))
    return to === undefined ? name : to && tidyName(to)
  })
  const seen = new Map<string, string>()
  for (const [index, name] of names.entries()) {
    if (name === null) continue
    const from = header[index] ?? ''
    if (name === '') throw new FileRefused(`"${from}" is mapped to a blank name. Enter a field name, or leave it out.`)
    const problem = fieldNameProblem(name, index + 1)
    if (problem !== null) throw new FileRefused(problem)
    if (kind === 'contacts') refuseInternalName(name, from, index + 1)
    const before = seen.get(foldName(name))
    if (before !== undefined) {
      throw new FileRefused(`Both "${before}" and "${from}" are mapped to "${name}".`)
    }
    seen.set(foldName(name), from)
  }
  if (seen.size === 0) throw new FileRefused('Every column is left out; there is nothing to import.')
  return names
}

function refuseInternalName(name: string, from: string, column: number): void {
  const what = name === from ? `Column ${column} is named` : `"${from}" is mapped to`
  if (foldName(name).startsWith(eventPrefix)) {
    const reason = `which begins with "${eventPrefix}" as the fields of events do`
    throw new FileRefused(`${what} "${name}", ${reason}. Rename it, leave it out, or import the file as events.`)
  }
  if (!internalFieldNames.some((internal) => isSameName(internal, name))) return
  throw new FileRefused(`${what} "${name}", which is a reserved name. Rename it, or leave it out.`)
}

/** Returns true for the header of a report of rows set aside: see `SetAsideReport`. */
export const hasReportColumns = (header: readonly string[]): boolean =>
  reportColumns.every((name, index) => header[index] === name)

/** Finds the columns that a setting names (by field or by column of the file), ignoring case, in the given order. */
export function findColumns<Column extends { position: number; field: { name: string } }>(
  columns: readonly Column[],
  header: readonly string[],
  names: readonly string[],
  setting: string,
): Column[] {
  return names.map((name) => {
    const found = columns.find(
      ({ position, field }) => isSameName(field.name, name) || isSameName(header[position] ?? '', name),
    )
    if (!found) throw new FileRefused(`The ${setting} "${name}" is not a column of the file.`)
    return found
  })
}

/** Returns the positions at which a new staging table starts. */
export function stageGroups(fileColumns: number): number[] {
  const starts: number[] = []
  for (let start = 0; start < fileColumns; start += columnsPerStage) starts.push(start)
  return starts
}

/** Returns the type that `examine` tests a column for: see value-types.ts. */
export function candidateType(
  name: string | null,
  find: (name: string) => ContactField | undefined,
  typeCasting: boolean,
  reading?: ColumnReading,
): FieldType | 'infer' {
  if (name === null) return 'string'
  const field = find(name)
  if (field) return field.type
  if (reading) return reading.type
  return typeCasting ? 'infer' : 'string'
}
