// The values of a form, however nested, as a flat list. A list is a single value: its entries have no names.

/** A value of a form by its path: `name`, `download.fileName`. */
export type Leaves = ReadonlyMap<string, unknown>

export function leavesOf(values: object): Leaves {
  return new Map(
    Object.entries(values).flatMap(([key, value]: [string, unknown]): [string, unknown][] =>
      isNested(value) ? [...leavesOf(value)].map(([path, leaf]) => [`${key}.${path}`, leaf]) : [[key, value]],
    ),
  )
}

/** The values, with those of `leaves` at their paths. */
export function withLeaves<Values extends object>(values: Values, leaves: Leaves): Values {
  const changed = Object.entries(values).map(([key, value]): [string, unknown] => {
    if (!isNested(value)) return [key, leaves.has(key) ? leaves.get(key) : value]
    const inside = [...leaves].filter(([path]) => path.startsWith(`${key}.`))
    return [key, withLeaves(value, new Map(inside.map(([path, leaf]) => [path.slice(key.length + 1), leaf])))]
  })
  // The same keys, each with a value of the same type.
  return Object.fromEntries(changed) as Values
}

/** Values of forms are plain JSON, or undefined. */
export const isSameLeaf = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Paths that another person has changed and that the form would change back. */
export function contestedPaths(opened: object, saved: object, mine: object): string[] {
  const [before, typed] = [leavesOf(opened), leavesOf(mine)]
  return [...leavesOf(saved)]
    .filter(([path, leaf]) => !isSameLeaf(leaf, before.get(path)) && !isSameLeaf(leaf, typed.get(path)))
    .map(([path]) => path)
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
