import { useCallback } from 'react'
import { paths } from '#lib/paths.ts'
import { createStore, useStore } from './store.ts'

/** Number of rows that a table of the identity area shows at first (specification 2 §9). */
export const rowsPerPageOptions = [5, 10, 15, 'All'] as const
type RowsPerPage = (typeof rowsPerPageOptions)[number]

/** Settings of a person in this browser (specification 1 §3). */
export type Settings = {
  /** The identity area opens at the last page viewed. */
  keepLastPageViewed: boolean
  /** A path, with its query. */
  lastPageViewed: string
  keepMenuExpanded: boolean
  areTablesDensed: boolean
  /** Opening a row of a table closes the open one. */
  singleExpand: boolean
  /** Charts use patterns in addition to colors. */
  hasChartPatterns: boolean
  rowsPerPage: RowsPerPage
  /** Rows per page as last chosen in single lists, by path. */
  pageSizes: Record<string, number | 'All'>
}

const defaults: Settings = {
  keepLastPageViewed: true,
  lastPageViewed: paths.policies(),
  keepMenuExpanded: true,
  areTablesDensed: true,
  singleExpand: true,
  hasChartPatterns: false,
  rowsPerPage: 10,
  pageSizes: {},
}

const key = 'portico.settings'
const store = createStore<Settings>(readSettings())

window.addEventListener('storage', (event) => {
  if (event.key === key) store.set(readSettings())
})

/** All settings, kept in sync with the other tabs. */
export const useSettings = (): Settings => useStore(store)

/** A setting and its setter, which also applies to the other tabs. */
export function useSetting<K extends keyof Settings>(name: K): [Settings[K], (value: Settings[K]) => void] {
  const value = useStore(store, (settings) => settings[name])
  const change = useCallback((next: Settings[K]) => changeSettings({ [name]: next }), [name])
  return [value, change]
}

/** Changes the given settings; the others stay. A change of rows per page also replaces the choices of single lists. */
export function changeSettings(part: Partial<Settings>): void {
  const next = { ...store.get(), ...(part.rowsPerPage && { pageSizes: pageSizesElsewhere() }), ...part }
  localStorage.setItem(key, JSON.stringify(next))
  store.set(next)
}

/** The last page viewed belongs to a person; the other settings belong to the browser. */
export function forgetLastPageViewed(): void {
  const { lastPageViewed } = defaults
  if (store.get().lastPageViewed !== lastPageViewed) changeSettings({ lastPageViewed })
}

/** Without the lists of the identity area, which follow `rowsPerPage`. */
const pageSizesElsewhere = (): Settings['pageSizes'] =>
  Object.fromEntries(Object.entries(store.get().pageSizes).filter(([path]) => !path.startsWith(paths.iamScreen(''))))

/** An older version or a curious user may have written anything: only known names with valid values are read. */
function readSettings(): Settings {
  const kept = parse(localStorage.getItem(key))
  const valid = Object.entries(defaults).map(([name, value]) => [
    name,
    makesSense(name, kept[name]) ? kept[name] : value,
  ])
  return Object.fromEntries(valid) as Settings
}

function makesSense(name: string, value: unknown): boolean {
  if (name === 'rowsPerPage') return rowsPerPageOptions.some((option) => option === value)
  // A manipulated setting must not lead to another site's address.
  if (name === 'lastPageViewed') return typeof value === 'string' && /^\/(?!\/)/.test(value)
  if (name === 'pageSizes') {
    return isRecord(value) && Object.values(value).every((size) => size === 'All' || typeof size === 'number')
  }
  return typeof value === 'boolean'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function parse(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
