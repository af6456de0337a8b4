import { useState } from 'react'

/** Moves the focus as rows come and go: into a new row, and from a removed one to the button that adds another. */
export function useRowFocus() {
  const [newest, setNewest] = useState<string | null>(null)
  const [addButton, setAddButton] = useState<HTMLButtonElement | null>(null)
  return {
    /** Key of the row added last. */
    newest,
    /** The button's `ref`. */
    setAddButton,
    onAdded: setNewest,
    // Deferred until the confirmation dialog is gone, which traps the focus.
    onRemoved: () => window.setTimeout(() => addButton?.focus(), 50),
  }
}
