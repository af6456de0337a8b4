import { useCallback, useSyncExternalStore } from 'react'

/** What a person set up in this browser (specification 1 §3), with the defaults. */
const defaults = { keepMenuExpanded: true, areTablesDensed: true, singleExpand: true }
type Settings = typeof defaults

const key = 'portico.settings'
const listeners = new Set<() => void>()
let settings: Settings = readSettings()

window.addEventListener('storage', (event) => {
  if (event.key === key) changeTo(readSettings())
})

/** A setting and the function that changes it, here and in the other tabs. */
export function useSetting<K extends keyof Settings>(name: K): [Settings[K], (value: Settings[K]) => void] {
  const value = useSyncExternalStore(onChange, () => settings[name])
  const change = useCallback(
    (next: Settings[K]) => {
      localStorage.setItem(key, JSON.stringify({ ...settings, [name]: next }))
      changeTo({ ...settings, [name]: next })
    },
    [name],
  )
  return [value, change]
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function changeTo(next: Settings): void {
  settings = next
  for (const listener of listeners) listener()
}

/** Whatever an older version or a curious user wrote: only known names with values of the right kind count. */
function readSettings(): Settings {
  const kept = parse(localStorage.getItem(key))
  const valid = Object.entries(defaults).map(([name, value]) => [
    name,
    typeof kept[name] === typeof value ? kept[name] : value,
  ])
  return Object.fromEntries(valid) as Settings
}

function parse(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
