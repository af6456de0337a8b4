/** Unique names to choose ids by: a name shared by several ids gets a number. */
export function uniqueNames(options: readonly { _id: string; name: string }[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { _id, name } of options) {
    let unique = name
    for (let count = 2; names.has(unique); count++) unique = `${name} (${count})`
    names.set(unique, _id)
  }
  return names
}

/** 'first', 'second' and 3 more */
export function someNames(names: readonly string[]): string {
  const shown = names.slice(0, 4).map((name) => `'${name}'`)
  const rest = names.length - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ')
}

/** Names are compared without regard to case and outer spaces. */
export const foldName = (name: string): string => name.trim().toLowerCase()
