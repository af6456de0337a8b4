import { lazy, Suspense } from 'react'

const LoadFailureText = lazy(async () => ({ default: (await import('./load-failure-text.tsx')).LoadFailureText }))

/** Says why the list or a dashboard could not be loaded; nothing without an error. */
export const LoadFailure = ({ error }: { error: Error | null }) =>
  error && (
    <Suspense>
      <LoadFailureText error={error} />
    </Suspense>
  )
