import { invalidField } from '#platform/app-error.ts'

/**
 * The names in a `select`: joined by spaces, a name with a space in double quotes, where a double quote of the name
 * itself stands twice.
 */
export function readSelection(select: string): string[] {
  const names: string[] = []
  const token = /\s*(?:"((?:[^"]|"")*)"|([^\s"]\S*))(?=\s|$)|\s+$/y
  while (token.lastIndex < select.length) {
    const found = token.exec(select)
    if (!found) throw invalidField('select', 'A name with spaces stands in double quotes, and they have to be closed.')
    const name = found[1]?.replaceAll('""', '"') ?? found[2]
    if (name !== undefined) names.push(name)
  }
  return names
}
