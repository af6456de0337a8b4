import { foldName } from '@portico/domain/names'
/** Unique names for choosing ids: a name shared by several ids gets a number. */
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

/**
 * The folded names that a new item must not have. `own` is the name of the edited item, which it may keep: an item from
 * an earlier release can share its name with another.
 */
export function takenNames(others: readonly { name: string }[], own: string | null): Set<string> {
  const taken = new Set(others.map(({ name }) => foldName(name)))
  if (own !== null) taken.delete(foldName(own))
  return taken
}

/** The names of these ids, one per line; the id itself if the name is unknown. */
export const namesOf = (ids: readonly string[], items: readonly { _id: string; name: string }[]): string =>
  ids.map((id) => items.find(({ _id }) => _id === id)?.name ?? id).join('\n') || '(none)'
