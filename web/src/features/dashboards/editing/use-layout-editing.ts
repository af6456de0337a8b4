import type { Dashboard } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { useCallback, useEffect, useState } from 'react'
import { storedDefinition } from '#domain/dashboards'
import { type History, record, redo, startHistory, undo } from './history.ts'
import type { Layout } from './layout.ts'

/** The dashboard that changes are based on. */
type Base = { dashboard: Dashboard | undefined; definition: Definition }

const nothing: Definition = { layout: [], originalFiltersSaved: false, resetFilters: false }

/** The dashboard as a base; an equal definition stays the same object. */
function baseOf(dashboard: Dashboard | undefined, before?: Base): Base {
  if (before && dashboard?._id === before.dashboard?._id && dashboard?.definition === before.dashboard?.definition) {
    return { ...before, dashboard }
  }
  return { dashboard, definition: dashboard ? storedDefinition(dashboard) : nothing }
}

/**
 * Edits the layout of a dashboard, with undo and redo by Ctrl+Z and Ctrl+Shift+Z. While there are changes, a version
 * saved elsewhere is not loaded: saving then reports the conflict.
 */
export function useLayoutEditing(latest: Dashboard | undefined, isEditing: boolean) {
  const [base, setBase] = useState(() => baseOf(latest))
  const [history, setHistory] = useState<History<Layout>>(() => startHistory(base.definition.layout))
  const isChanged = history.present !== base.definition.layout
  const restart = (dashboard: Dashboard | undefined): void => {
    const next = baseOf(dashboard, base)
    setBase(next)
    if (next.definition !== base.definition) setHistory(startHistory(next.definition.layout))
  }
  const isOther = latest?._id !== base.dashboard?._id
  const isCurrent = (latest?.version ?? 0) >= (base.dashboard?.version ?? 0)
  if (latest !== base.dashboard && (isOther || (!isChanged && isCurrent))) restart(latest)
  const change = useCallback(
    (next: (layout: Layout) => Layout) => setHistory((now) => record(now, next(now.present))),
    [],
  )
  const back = useCallback(() => setHistory(undo), [])
  const again = useCallback(() => setHistory(redo), [])
  useUndoKeys(isEditing, back, again)
  return {
    /** The dashboard that the changes are based on. */
    dashboard: base.dashboard,
    definition: { ...base.definition, layout: history.present },
    isChanged,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    change,
    undo: back,
    redo: again,
    discard: () => setHistory(startHistory(base.definition.layout)),
    /** Continues from the dashboard as saved. */
    restart,
  }
}

function useUndoKeys(isOn: boolean, back: () => void, again: () => void): void {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
      const { target } = event
      // A field undoes its own typing, a dialog its own form.
      if (target instanceof HTMLElement && target.closest('input, textarea, [contenteditable], [role="dialog"]')) return
      event.preventDefault()
      if (event.shiftKey) again()
      else back()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isOn, back, again])
}
