import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Returns the properties of a modal that other dialogs may open above. Every open modal receives Escape, which should
 * close only the one on top.
 */
export function useCloseOnTop(onClose: () => void): { ref: RefObject<HTMLDivElement | null>; onClose: () => void } {
  const ref = useRef<HTMLDivElement>(null)
  const isBelow = useRef(false)
  // Runs before the effects of modals, to receive the key first: afterwards the dialog above may be gone.
  useLayoutEffect(() => {
    const note = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || isOnTop(ref.current)) return
      isBelow.current = true
      setTimeout(() => (isBelow.current = false))
    }
    window.addEventListener('keydown', note, { capture: true })
    return () => window.removeEventListener('keydown', note, { capture: true })
  }, [])
  return { ref, onClose: () => !isBelow.current && onClose() }
}

/** Dialogs are in the page in the order in which they opened. A dialog that is fading out no longer counts. */
function isOnTop(modal: HTMLElement | null): boolean {
  const open = '[role="dialog"][aria-modal="true"]:not([data-closing] *)'
  return [...document.querySelectorAll(open)].at(-1) === modal?.querySelector(open)
}
