import { Tooltip } from '@mantine/core'
import { type Status, StatusBadge } from './status-badge.tsx'

/** The state of a job; hovering shows the reason if there is one. */
export function StatusWithReason({ status, reason }: { status: Status; reason: string | null }) {
  return (
    <Tooltip label={reason} disabled={reason === null} multiline maw={380}>
      <span style={{ display: 'inline-flex', verticalAlign: 'middle' }}>
        <StatusBadge status={status} />
      </span>
    </Tooltip>
  )
}
