import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { EmptyState } from './empty-state.tsx'

type NoMatchProps = {
  icon: ReactNode
  /** The entries in the plural: 'exports'. */
  entries: string
  onClear: () => void
}

/** In place of a list whose filter nothing matches. */
export function NoMatch({ icon, entries, onClear }: NoMatchProps) {
  return (
    <EmptyState
      icon={icon}
      title={`No matching ${entries} found.`}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  )
}
