import { type ComponentType, createElement, lazy, Suspense } from 'react'

/** A part of a screen that its first view does not need, with its own code chunk. */
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
