import { Button, Text } from '@mantine/core'
import css from './cell-content.module.css'

/** Why a cell cannot be shown. The rest of the dashboard works. */
export function CellProblem({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <div className={css['problem']} role="alert">
      <Text size="sm">{message}</Text>
      <Button variant="default" size="compact-xs" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
