import { Select } from '@mantine/core'
import type { Status } from './status-badge.tsx'

type StatusSelectProps = { value: Status | null; onChange: (status: Status | null) => void }

const statuses = ['waiting', 'processing', 'completed', 'recovery', 'rejected'] satisfies Status[]

/** Chooses one state of jobs, or all of them. */
export function StatusSelect({ value, onChange }: StatusSelectProps) {
  return (
    <Select
      aria-label="Status"
      placeholder="Status"
      w={200}
      data={statuses}
      value={value}
      // The options are the statuses.
      onChange={(status) => onChange(status as Status | null)}
      clearable
      clearButtonProps={{ 'aria-label': 'All statuses' }}
    />
  )
}
