import type { Field } from '@portico/contract/contacts'

/** Options in groups, as Mantine's inputs take them. */
export type Suggestions = { group: string; items: string[] }[]

/** What can be offered where a column is asked for: those of the file, then fields that contacts have already. */
export function suggestColumns(columns: string[] | null, fields: Field[]): Suggestions {
  const inFile = unique(columns ?? [])
  const taken = new Set(inFile.map((name) => name.toLowerCase()))
  const existing = unique(fields.map(({ name }) => name)).filter((name) => !taken.has(name.toLowerCase()))
  return [
    { group: 'File columns', items: inFile },
    { group: 'Existing fields', items: existing },
  ].filter(({ items }) => items.length > 0)
}

/** The inputs refuse options that repeat, also where only the letter case differs. */
function unique(names: string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()]
}
