import type { Field } from '@portico/contract/contacts'
import { foldName } from '@portico/domain/names'

/** Options in groups, in the form of Mantine's inputs. */
export type Suggestions = { group: string; items: string[] }[]

/** Suggestions for a column: those of the file, then existing contact fields. */
export function suggestColumns(columns: string[] | null, fields: Field[]): Suggestions {
  const inFile = unique(columns ?? [])
  const taken = new Set(inFile.map(foldName))
  const existing = unique(fields.map(({ name }) => name)).filter((name) => !taken.has(foldName(name)))
  return [
    { group: 'File columns', items: inFile },
    { group: 'Existing fields', items: existing },
  ].filter(({ items }) => items.length > 0)
}

/** The inputs reject duplicate options. */
function unique(names: string[]): string[] {
  return [...new Map(names.map((name) => [foldName(name), name])).values()]
}
