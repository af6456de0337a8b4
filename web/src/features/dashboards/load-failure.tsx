import { deferred } from '#ui/page/deferred.tsx'

const LoadFailureText = deferred(async () => (await import('./load-failure-text.tsx')).LoadFailureText)

/** Says why the list or a dashboard could not be loaded; renders nothing without an error. */
export const LoadFailure = ({ error }: { error: Error | null }) => error && <LoadFailureText error={error} />
