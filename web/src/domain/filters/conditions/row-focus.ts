import { useState } from 'react'

/** Where the focus goes as rows come and go: into a new row, and from a removed one to the button that adds another. */
export function useRowFocus() {
  const [newest, setNewest] = useState<string | null>(null)
  const [addButton, setAddButton] = useState<HTMLButtonElement | null>(null)
  return {
    /** Key of the row that was added last. */
    newest,
    /** The button's `ref`. */
    setAddButton,
    onAdded: setNewest,
    // Once the question that was asked before is gone, with its hold on the focus.
    onRemoved: () => window.setTimeout(() => addButton?.focus(), 50),
  }
}
