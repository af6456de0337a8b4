import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { EmptyState } from './empty-state.tsx'

type NoMatchProps = {
  icon: ReactElement
  /** Plural noun of the records: 'imports'. */
  nouns: string
  /** Says which records `onClear` shows again. */
  clearLabel?: string
  onClear: () => void
}

/** Shown in place of a list whose filter matches nothing, with the way back to all records. */
export function NoMatch({ icon, nouns, clearLabel = 'Clear filters', onClear }: NoMatchProps) {
  return (
    <EmptyState
      icon={icon}
      title={`No matching ${nouns} found.`}
      action={
        <Button variant="default" onClick={onClear}>
          {clearLabel}
        </Button>
      }
    />
  )
}
