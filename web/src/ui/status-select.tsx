import { Select } from '@mantine/core'
import type { Status } from './status-badge.tsx'

const statuses = ['waiting', 'processing', 'completed', 'recovery', 'rejected'] as const satisfies Status[]
type JobStatus = (typeof statuses)[number]

type StatusSelectProps = { value: JobStatus | null; onChange: (status: JobStatus | null) => void }

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
      onChange={(status) => onChange(status as JobStatus | null)}
      clearable
      clearButtonProps={{ 'aria-label': 'All statuses' }}
    />
  )
}
