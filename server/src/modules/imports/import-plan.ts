import { fieldNameMaxLength, type FieldType, internalFieldNames } from '@portico/contract/contacts'
import { reportColumns } from '@portico/contract/import-preview'
import type { ImportDelimiter, ImportKind } from '@portico/contract/imports'
import { type ContactField, foldName } from '#contacts'
import { FileRefused } from './reading/source-text-refused.ts'

/** A column of the file and the field it feeds. */
export type PlannedColumn = {
  /** Position in the file, from 0. */
  position: number
  field: ContactField
}

/**
 * How a file is loaded, decided once after it was read once, and kept with the import so that a worker that takes over
 * goes on in exactly the same way.
 */
export type ImportPlan = {
  /** Good rows of the file; those set aside have no number. */
  rows: number
  /** Columns of the file, those left out included. */
  fileColumns: number
  /** Columns that are loaded, in the file's order. */
  columns: PlannedColumn[]
  /** Positions at which staging starts a new table, see `stageGroups`. */
  groupStarts: number[]
  /**
   * `direct`: rows go from the file into the contacts, since nothing has to be looked up for them.
   * `staged`: rows go into staging tables first, where dedup keys and PURLs are worked out for the whole file.
   */
  path: 'direct' | 'staged'
  /** The account had no contacts: their indexes are built after loading, which is a good deal faster. */
  buildsIndexes: boolean
}

/** Files wider than this are staged in several tables, for the reason given at `columnsPerPart` of `#contacts`. */
const columnsPerStage = 300

const maxColumns = 1000

const delimiters: Record<ImportDelimiter, string> = { comma: ',', tab: '\t', pipe: '|' }
export const delimiterOf = (delimiter: ImportDelimiter) => delimiters[delimiter] as ',' | '\t' | '|'

/**
 * Refuses a header that cannot name fields; the sentence names the column (product rule: import, step 2). Names that the
 * portal keeps for itself are told by `mapColumns`, since a column may be called something else, or left out.
 */
export function checkHeader(names: readonly string[], delimiter: ImportDelimiter): void {
  const [only] = names
  if (names.length === 1 && only !== undefined) refuseWrongDelimiter(only, delimiter)
  if (names.length > maxColumns) {
    throw new FileRefused(
      `The header has ${names.length.toLocaleString('en-US')} columns; at most ${maxColumns.toLocaleString('en-US')} can be imported.`,
    )
  }
  const seen = new Map<string, number>()
  for (const [index, name] of names.entries()) {
    const column = index + 1
    if (name.trim() === '') throw new FileRefused(`Column ${column} of the header is blank. Give it a name.`)
    checkName(name, column)
    const before = seen.get(foldName(name))
    if (before !== undefined) {
      throw new FileRefused(`The header names "${name}" twice: columns ${before} and ${column}.`)
    }
    seen.set(foldName(name), column)
  }
}

function checkName(name: string, column: number): void {
  if (Array.from(name).length > fieldNameMaxLength) {
    throw new FileRefused(`The name of column ${column} is longer than ${fieldNameMaxLength} characters.`)
  }
  // Control characters (C0, DEL): PostgreSQL cannot store NUL, and no screen can show the others.
  // oxlint-disable-next-line no-control-regex -- they are what a name must not hold
  if (/[\u0000-\u001f\u007f]/.test(name)) {
    throw new FileRefused(
      `The name of column ${column} holds a character that cannot be shown (a line break, a tab …).`,
    )
  }
}

function refuseWrongDelimiter(header: string, chosen: ImportDelimiter): void {
  const others = { ...delimiters, semicolon: ';' }
  const likely = Object.entries(others).find(([name, sign]) => name !== chosen && header.includes(sign))
  if (!likely) return
  const fix = likely[0] in delimiters ? `Choose ${likely[0]} as file delimiter.` : 'Save the file with commas.'
  throw new FileRefused(`With ${chosen} as delimiter the header is one column, but it holds ${likely[0]}s. ${fix}`)
}

/**
 * Field name for each column of the file, or null for one that is left out (`columnMapping`).
 * @throws FileRefused when a column would feed a field of no name, of a name that the portal keeps for itself (which may
 * stand in a file of events, to say whose they are), or one that another column feeds; or when nothing is left to load
 */
export function mapColumns(
  header: readonly string[],
  mapping: Record<string, string | null> | null,
  kind: ImportKind = 'contacts',
): (string | null)[] {
  // Anyone who imports a corrected report wants its contacts, not what was wrong with them.
  const settled = hasReportColumns(header) ? reportColumns.map((name) => [name, null] as const) : []
  const wanted = new Map([...settled, ...Object.entries(mapping ?? {})].map(([from, to]) => [foldName(from), to]))
  const names = header.map((name) => {
    const to = wanted.get(foldName(name))
    return to === undefined ? name : (to?.trim() ?? null)
  })
  const seen = new Map<string, string>()
  for (const [index, name] of names.entries()) {
    if (name === null) continue
    const from = header[index] ?? ''
    if (name === '') throw new FileRefused(`"${from}" is mapped to a blank name. Name a field, or leave it out.`)
    checkName(name, index + 1)
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
  if (!internalFieldNames.some((internal) => foldName(internal) === foldName(name))) return
  const what = name === from ? `Column ${column} is named` : `"${from}" is mapped to`
  throw new FileRefused(`${what} "${name}", a name that the portal keeps for itself. Rename it, or leave it out.`)
}

/** Whether a header is that of a report of rows set aside: see `SetAsideReport`. */
export const hasReportColumns = (header: readonly string[]): boolean =>
  reportColumns.every((name, index) => header[index] === name)

/** Finds the columns that a setting names (by field name or by the file's own), ignoring case, in the order given. */
export function findColumns<Column extends { position: number; field: { name: string } }>(
  columns: readonly Column[],
  header: readonly string[],
  names: readonly string[],
  setting: string,
): Column[] {
  return names.map((name) => {
    const found = columns.find(
      ({ position, field }) =>
        foldName(field.name) === foldName(name) || foldName(header[position] ?? '') === foldName(name),
    )
    if (!found) throw new FileRefused(`The ${setting} "${name}" is not a column of the file.`)
    return found
  })
}

/** Positions at which a new staging table starts. */
export function stageGroups(fileColumns: number): number[] {
  const starts: number[] = []
  for (let start = 0; start < fileColumns; start += columnsPerStage) starts.push(start)
  return starts
}

/** What `examine` is to find out about a column: see value-types.ts. */
export function candidateType(
  name: string | null,
  known: ReadonlyMap<string, ContactField>,
  typeCasting: boolean,
): FieldType | 'infer' {
  if (name === null) return 'string'
  const field = known.get(foldName(name))
  if (field) return field.type
  return typeCasting ? 'infer' : 'string'
}
