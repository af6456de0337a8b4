import { useLayoutEffect } from 'react'

let forms = 0

/** Says that the page holds what somebody has typed and not saved, as long as `isTyped` and the caller is shown. */
export function useTypedInput(isTyped: boolean): void {
  // At once: what ends a session may come with the very next answer.
  useLayoutEffect(() => {
    if (!isTyped) return undefined
    forms += 1
    return () => void (forms -= 1)
  }, [isTyped])
}

/** Whether anything on the page would be lost with it. */
export const hasTypedInput = (): boolean => forms > 0
