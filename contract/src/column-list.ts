import type { z } from 'zod'
import { listText } from './read-text.ts'

/** As many as an account may have fields in all reason. Work is done for each name in many places. */
const mostNames = 2000

/**
 * Parses column names separated by spaces; a name with a space is in double quotes, which are doubled within the name.
 * Null when a quote is not closed. Stops after `most` names.
 */
export function readColumnList(text: string, most = Number.POSITIVE_INFINITY): string[] | null {
  const names: string[] = []
  const token = /\s*(?:"((?:[^"]|"")*)"|([^\s"]\S*))(?=\s|$)|\s+$/y
  while (token.lastIndex < text.length && names.length < most) {
    const found = token.exec(text)
    if (!found) return null
    const name = found[1]?.replaceAll('""', '"') ?? found[2]
    if (name !== undefined) names.push(name)
  }
  return names
}

/** Writes column names as `readColumnList` reads them. */
export function writeColumnList(names: readonly string[]): string {
  return names.map((name) => (/^[^\s"]+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)).join(' ')
}

/** Column names as one text, in the way that `writeColumnList` writes them. */
export const columnListText = (schema: z.ZodType<string, string>, problem: string) =>
  listText(schema.refine(hasFewNames, `Name at most ${mostNames.toLocaleString('en-US')} fields.`), {
    read: readColumnList,
    write: writeColumnList,
    problem,
  })

// Reads no further, however long the text is.
const hasFewNames = (text: string): boolean => (readColumnList(text, mostNames + 1)?.length ?? 0) <= mostNames
