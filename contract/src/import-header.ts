/** The header of an imported file: the line on which it begins, and names for columns that have none of their own. */
import { foldName, tidyName } from '@portico/domain/names'
import { z } from 'zod'
import { fieldNameMaxLength } from './contacts.ts'
import { messages } from './messages.ts'

/** Maximum lines of a file that are searched for its header. */
export const maxHeaderLine = 1000

/** How an import finds and reads the header of its file. */
export const headerOptions = {
  /**
   * Line of the file, or row of the sheet, on which the header begins, counted from 1. Earlier ones are skipped. By
   * default, the header is the first row with a value.
   */
  headerLine: z.int(messages.invalid).min(1, messages.invalid).max(maxHeaderLine, messages.invalid).optional(),
  /**
   * Gives names to columns that have none of their own: the second "Phone" becomes "Phone (2)", a blank name of column
   * 9 "Column 9", and line breaks in names become blanks. Without it, such a file is rejected. Blank columns without
   * any value are left out in either case.
   */
  nameColumns: z.boolean().optional(),
}

/** Why a column has no name of its own: it is blank, an earlier column has the name, or no field can have it. */
const NameProblem = z.enum(['blank', 'repeated', 'unfit'])

/** A column without a name of its own. */
export const UnnamedColumn = z.object({
  /** Counted from 1. */
  column: z.number(),
  name: z.string(),
  problem: NameProblem,
  /** The first column with its name, if it is repeated. */
  of: z.number().nullable(),
  /** Its name with `nameColumns`. */
  becomes: z.string(),
})
export type UnnamedColumn = z.output<typeof UnnamedColumn>

/** Returns the columns of a header that have no name of their own, in order. */
export function findUnnamed(names: readonly string[]): UnnamedColumn[] {
  // Maps a name to its first column.
  const taken = new Map<string, number>()
  const found = names.flatMap((name, at) => {
    const problem = problemOf(name, taken)
    const of = problem === 'repeated' ? (taken.get(foldName(name)) ?? null) : null
    if (problem === null) taken.set(foldName(name), at + 1)
    return problem === null ? [] : [{ column: at + 1, name, problem, of }]
  })
  const next = new Map<string, number>()
  return found.map((one) => {
    const becomes = freeName(one, taken, next)
    taken.set(foldName(becomes), one.column)
    return { ...one, becomes }
  })
}

/** Returns the names of a header, including those given to its unnamed columns. */
export function withNames(names: readonly string[], unnamed: readonly UnnamedColumn[]): string[] {
  const given = new Map(unnamed.map(({ column, becomes }) => [column, becomes]))
  return names.map((name, at) => given.get(at + 1) ?? name)
}

/** Control characters (C0, DEL): PostgreSQL cannot store NUL, and screens cannot show the others. */
// oxlint-disable-next-line no-control-regex -- names must not contain them
const hidden = /[\u0000-\u001f\u007f]+/

/** Returns whether a name of a column has characters that cannot be displayed. */
export const hasHiddenCharacters = (name: string): boolean => hidden.test(name)

const isTooLong = (name: string): boolean => Array.from(name).length > fieldNameMaxLength

function problemOf(name: string, taken: ReadonlyMap<string, number>): UnnamedColumn['problem'] | null {
  if (name === '') return 'blank'
  if (isTooLong(name) || hasHiddenCharacters(name)) return 'unfit'
  return taken.has(foldName(name)) ? 'repeated' : null
}

function freeName(
  { column, name, problem }: Pick<UnnamedColumn, 'column' | 'name' | 'problem'>,
  taken: ReadonlyMap<string, number>,
  next: Map<string, number>,
): string {
  const shown = name
    .split(hidden)
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ')
  const base = shortened(shown, fieldNameMaxLength) || `Column ${column}`
  if (problem !== 'repeated' && !taken.has(foldName(base))) return base
  // Numbering continues after the last column of this name, as a file may have a thousand of them.
  for (let number = next.get(foldName(base)) ?? 2; ; number++) {
    const suffix = ` (${number})`
    const numbered = `${shortened(base, fieldNameMaxLength - suffix.length)}${suffix}`
    next.set(foldName(base), number + 1)
    if (!taken.has(foldName(numbered))) return numbered
  }
}

const shortened = (name: string, length: number): string => tidyName(Array.from(name).slice(0, length).join(''))
