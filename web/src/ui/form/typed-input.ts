import { useLayoutEffect } from 'react'

let forms = 0

/** Marks the page as holding unsaved input while `isTyped` is true and the caller is mounted. */
export function useTypedInput(isTyped: boolean): void {
  // A layout effect, because the very next reply may end the session.
  useLayoutEffect(() => {
    if (!isTyped) return undefined
    forms += 1
    return () => void (forms -= 1)
  }, [isTyped])
}

/** True when leaving the page would lose input. */
export const hasTypedInput = (): boolean => forms > 0
