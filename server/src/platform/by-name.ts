const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

/** Compares names case-insensitively, and the numbers in them by value. */
export const compareNames = (one: string, other: string): number => collator.compare(one, other)

/** Returns the items sorted by name. */
export function byName<T extends { name: string }>(items: readonly T[]): T[] {
  return items.toSorted((one, other) => compareNames(one.name, other.name))
}
