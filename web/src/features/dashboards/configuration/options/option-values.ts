/** Options being edited: any JSON, including unknown names. */
export type OptionValues = Record<string, unknown>

const isObject = (value: unknown): value is OptionValues => typeof value === 'object' && value !== null

/** The value at a path; undefined if there is none. */
export function valueAt(options: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path
  if (name === undefined) return options
  return isObject(options) && Object.hasOwn(options, name) ? valueAt(options[name], rest) : undefined
}

/** The options with another value at a path, and all others unchanged. `undefined` removes it. */
export function withValue(options: OptionValues, path: readonly string[], value: unknown): OptionValues {
  const [name = '', ...rest] = path
  if (rest.length === 0) return withEntry(options, name, value)
  const inner = options[name]
  return withEntry(options, name, withValue(isObject(inner) ? inner : {}, rest, value))
}

function withEntry(options: OptionValues, name: string, value: unknown): OptionValues {
  if (Array.isArray(options)) {
    // The others keep their positions.
    const list: unknown[] = [...(options as unknown[])]
    list[Number(name)] = value ?? {}
    return list as unknown as OptionValues
  }
  if (value !== undefined) return { ...options, [name]: value }
  return Object.fromEntries(Object.entries(options).filter(([other]) => other !== name))
}

/** The entries of a list, or of an object by number, in order. */
export function numberedEntries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

/** The lowest number without an entry. */
export function freeNumber(entries: readonly [string, unknown][]): string {
  let number = 0
  while (entries.some(([name]) => name === String(number))) number += 1
  return String(number)
}
