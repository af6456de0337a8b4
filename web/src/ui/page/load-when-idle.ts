import { useEffect } from 'react'

/** For browsers without `requestIdleCallback`. */
const fallbackDelayMs = 500

const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work)
  else setTimeout(work, fallbackDelayMs)
}

/** Loads parts in advance, once the first view is complete. */
export function useLoadWhenIdle(parts: readonly { load: () => Promise<unknown> }[], isViewComplete: boolean): void {
  useEffect(() => {
    if (!isViewComplete) return
    // A part that fails to load is requested again when it is shown.
    whenIdle(() => void Promise.allSettled(parts.map(({ load }) => load())))
  }, [parts, isViewComplete])
}
