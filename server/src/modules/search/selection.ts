import { readColumnList } from '@portico/contract/column-list'
import { invalidField } from '#platform/app-error.ts'

/** The names in a `select`, see `readColumnList`. */
export function readSelection(select: string): string[] {
  const names = readColumnList(select)
  if (!names) throw invalidField('select', 'Put names with spaces in double quotes, with a closing quote.')
  return names
}
