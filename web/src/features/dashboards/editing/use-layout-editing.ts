import type { Definition } from '@portico/contract/dashboards/definition'
import { useCallback, useEffect, useState } from 'react'
import { type History, record, redo, startHistory, undo } from './history.ts'
import type { Layout } from './layout.ts'

/** Edits the layout of a definition, with undo and redo by Ctrl+Z and Ctrl+Shift+Z. */
export function useLayoutEditing(definition: Definition, isEditing: boolean) {
  const [history, setHistory] = useState<History<Layout>>(() => startHistory(definition.layout))
  const [start, setStart] = useState(definition)
  // Another dashboard, or the same one as it was saved.
  if (start !== definition) {
    setStart(definition)
    setHistory(startHistory(definition.layout))
  }
  const change = useCallback(
    (next: (layout: Layout) => Layout) => setHistory((now) => record(now, next(now.present))),
    [],
  )
  const back = useCallback(() => setHistory(undo), [])
  const again = useCallback(() => setHistory(redo), [])
  const discard = useCallback(() => setHistory(startHistory(definition.layout)), [definition])
  useUndoKeys(isEditing, back, again)
  return {
    layout: history.present,
    isChanged: history.present !== definition.layout,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    change,
    undo: back,
    redo: again,
    discard,
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
