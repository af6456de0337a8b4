import { findUnnamed, type UnnamedColumn, withNames } from '@portico/contract/import-header'
import type { ImportDelimiter } from '@portico/contract/imports'
import { fieldNameProblem, signs } from '../import-plan.ts'
import { requireFewColumns } from '../reading/record-scanner-header.ts'
import { FileRefused } from '../reading/source-text-refused.ts'

/** The names of a file's columns, as an import uses them. */
export type ColumnNames = {
  /**
   * Names as in the header; with `nameColumns`, unnamed columns get generated names. Without it, blank names stay ''.
   */
  names: string[]
  /** Columns without a name of their own. */
  unnamed: UnnamedColumn[]
  /** The import names unnamed columns. */
  areNamed: boolean
}

/**
 * Names the columns of a header. Whether blank names matter is only known after the cells have been read: see
 * `settleNames`. Reserved names are left to `mapColumns`, since a column may be mapped to another name or left out.
 * @param delimiter of the text; null for a sheet, which has none
 * @throws FileRefused for a header that is one cell of another delimiter, or has too many columns
 */
export function nameColumns(
  header: readonly string[],
  { areNamed, delimiter }: { areNamed: boolean; delimiter: ImportDelimiter | null },
): ColumnNames {
  const [only] = header
  if (header.length === 1 && only !== undefined && delimiter !== null) refuseWrongDelimiter(only, delimiter)
  requireFewColumns(header.length)
  const unnamed = findUnnamed(header)
  return { names: areNamed ? withNames(header, unnamed) : [...header], unnamed, areNamed }
}

/** Returns whether the header is refused regardless of the cells in its blank columns. */
export const isUnclear = ({ unnamed, areNamed }: ColumnNames): boolean =>
  !areNamed && unnamed.some(({ problem }) => problem !== 'blank')

/** Lines of the first values of the columns; null for a column without values. */
export type FirstValues = readonly (number | null)[]

/**
 * Returns the final names, once it is known which columns have values: '' for blank columns without values, which are
 * left out.
 * @throws FileRefused with all problems of the header at once
 */
export function settleNames(columns: ColumnNames, firstValues: FirstValues): string[] {
  const { names, unnamed, areNamed } = columns
  const { problems, leftOut } = headerProblems(unnamed, firstValues)
  if (!areNamed && problems.length > 0) {
    const more = problems.length - shownProblems
    if (more > 0) problems.splice(shownProblems, more, `The header has ${more} more problems.`)
    throw new HeaderUnclear(problems.join(' '), namelessOf(unnamed, leftOut))
  }
  const empty = new Set(leftOut)
  return names.map((name, at) => (empty.has(at + 1) ? '' : name))
}

/** Returns the columns that need a name, and the numbers of blank columns without a value, which need none. */
export function unnamedColumns({ unnamed }: Pick<ColumnNames, 'unnamed'>, firstValues: FirstValues) {
  const { leftOut } = headerProblems(unnamed, firstValues)
  return { unnamed: namelessOf(unnamed, leftOut), leftOut }
}

const namelessOf = (unnamed: readonly UnnamedColumn[], leftOut: readonly number[]): UnnamedColumn[] =>
  unnamed.filter(({ column }) => !leftOut.includes(column))

/** A header with unnamed columns that need a name. */
export class HeaderUnclear extends FileRefused {
  readonly unnamed: UnnamedColumn[]

  constructor(message: string, unnamed: UnnamedColumn[]) {
    super(message)
    this.unnamed = unnamed
  }
}

const shownProblems = 10

function headerProblems(unnamed: readonly UnnamedColumn[], firstValues: FirstValues) {
  const lineOf = ({ column }: UnnamedColumn): number | null => firstValues[column - 1] ?? null
  const blank = unnamed.filter(({ problem }) => problem === 'blank')
  return {
    problems: [
      ...blankProblems(blank.filter((one) => lineOf(one) !== null).map((one) => ({ ...one, line: lineOf(one) ?? 0 }))),
      ...unnamed.flatMap((one) => (one.problem === 'blank' ? [] : [nameProblem(one)])),
    ],
    leftOut: blank.filter((one) => lineOf(one) === null).map(({ column }) => column),
  }
}

function blankProblems(blank: readonly { column: number; line: number }[]): string[] {
  const [first] = blank
  if (!first) return []
  const line = Math.min(...blank.map((one) => one.line)).toLocaleString('en-US')
  if (blank.length === 1)
    return [`Column ${first.column} of the header is blank, with a value on line ${line}. Give it a name.`]
  const columns = blank.map(({ column }) => column).join(', ')
  return [`Columns ${columns} of the header are blank, with a first value on line ${line}. Give them names.`]
}

function nameProblem({ column, name, problem, of }: UnnamedColumn): string {
  if (problem === 'repeated') return `The header names "${name}" twice: columns ${of} and ${column}.`
  return fieldNameProblem(name, column) ?? `The name of column ${column} cannot be used.`
}

function refuseWrongDelimiter(header: string, chosen: ImportDelimiter): void {
  const likely = Object.entries(signs).find(([name, sign]) => name !== chosen && header.includes(sign))
  if (!likely) return
  throw new FileRefused(
    `With ${chosen} as delimiter, the header is a single column, but it contains ${likely[0]}s. Choose ${likely[0]} as file delimiter.`,
  )
}
