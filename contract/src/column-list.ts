import type { z } from 'zod'
import { listText } from './read-text.ts'

/**
 * Parses column names separated by spaces; a name with a space is in double quotes, which are doubled within the name.
 * Null when a quote is not closed.
 */
export function readColumnList(text: string): string[] | null {
  const names: string[] = []
  const token = /\s*(?:"((?:[^"]|"")*)"|([^\s"]\S*))(?=\s|$)|\s+$/y
  while (token.lastIndex < text.length) {
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
  listText(schema, { read: readColumnList, write: writeColumnList, problem })
