import { isDeepStrictEqual } from 'node:util'

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

/** In the order that people expect of names. */
export function byName<T extends { name: string }>(items: readonly T[]): T[] {
  return items.toSorted((one, other) => collator.compare(one.name, other.name))
}

/** What every installation starts with (migration 0002-identity): the code knows these by their ids. */
export function isBuiltIn(id: string): boolean {
  return /^00000000-0000-4000-8000-00000000000\d$/.test(id)
}

/** For the audit log: the values that differ, as they were and as they are. */
export function changedValues(old: Record<string, unknown>, now: Record<string, unknown>): Record<string, unknown> {
  const changed = Object.keys(now).filter((key) => !isDeepStrictEqual(old[key], now[key]))
  return Object.fromEntries(changed.map((key) => [key, { old: old[key] ?? null, new: now[key] ?? null }]))
}
