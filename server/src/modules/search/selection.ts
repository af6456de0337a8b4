import { invalidField } from '#platform/app-error.ts'

/**
 * Parses the names in a `select`. They are separated by spaces; a name with a space is in double quotes, which are doubled
 * within the name.
 */
export function readSelection(select: string): string[] {
  const names: string[] = []
  const token = /\s*(?:"((?:[^"]|"")*)"|([^\s"]\S*))(?=\s|$)|\s+$/y
  while (token.lastIndex < select.length) {
    const found = token.exec(select)
    if (!found) throw invalidField('select', 'Put names with spaces in double quotes, with a closing quote.')
    const name = found[1]?.replaceAll('""', '"') ?? found[2]
    if (name !== undefined) names.push(name)
  }
  return names
}
