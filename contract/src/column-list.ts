import type { z } from 'zod'
import { listText } from './read-text.ts'

/** The maximum number of fields that an account may reasonably have. Many places do work for each name. */
const mostNames = 2000

/**
 * Parses column names separated by spaces. A name with a space is in double quotes, which are doubled within the name.
 * Returns null if a quote is not closed. Stops after `most` names.
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

/** Schema of column names as one text, in the form of `writeColumnList`. */
export const columnListText = (schema: z.ZodType<string, string>, problem: string) =>
  listText(schema.refine(hasFewNames, `Name at most ${mostNames.toLocaleString('en-US')} fields.`), {
    read: readColumnList,
    write: writeColumnList,
    problem,
  })

// Stops reading here, even in a long text.
const hasFewNames = (text: string): boolean => (readColumnList(text, mostNames + 1)?.length ?? 0) <= mostNames
