import { isDeepStrictEqual } from 'node:util'

/** The values of `now` that differ from `old`, each as `{old, new}`: the details of an audit entry about a change. */
export function changedValues(old: Record<string, unknown>, now: Record<string, unknown>): Record<string, unknown> {
  const changed = Object.keys(now).filter((key) => !isDeepStrictEqual(old[key], now[key]))
  return Object.fromEntries(changed.map((key) => [key, { old: old[key] ?? null, new: now[key] ?? null }]))
}
