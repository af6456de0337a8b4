import { type ComponentType, createElement, lazy, Suspense, useEffect } from 'react'

/** A part of a screen that its first view does not need, with code of its own. */
type Deferred<Props extends object> = ComponentType<Props> & { load: () => Promise<unknown> }

/**
 * Renders the placeholder, or nothing, until the code has arrived; `useLoadWhenIdle` fetches it before the user's first
 * click.
 */
export function deferred<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Placeholder?: ComponentType<Props>,
): Deferred<Props> {
  const Part = lazy(async () => ({ default: await load() }))
  const InSuspense = (props: Props) => (
    <Suspense fallback={Placeholder && createElement(Placeholder, props)}>
      {createElement(Part as ComponentType<Props>, props)}
    </Suspense>
  )
  return Object.assign(InSuspense, { load })
}

/** For browsers that do not say when they are idle. */
const fallbackDelayMs = 500

const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work)
  else setTimeout(work, fallbackDelayMs)
}

/** Loads parts in advance, once the first view is complete. */
export function useLoadWhenIdle(parts: readonly { load: () => Promise<unknown> }[], isViewComplete: boolean): void {
  useEffect(() => {
    if (!isViewComplete) return
    // A part that does not arrive is requested again when it is shown.
    whenIdle(() => void Promise.allSettled(parts.map(({ load }) => load())))
  }, [parts, isViewComplete])
}
