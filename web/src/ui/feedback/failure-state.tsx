import { Button } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { EmptyState } from './empty-state.tsx'

/** Says that loading failed and why, and offers to try again. */
export function FailureState({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <div role="alert">
      <EmptyState
        icon={<IconAlertTriangle size={22} />}
        title="This could not be loaded"
        action={
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        }
      >
        {message}
      </EmptyState>
    </div>
  )
}
