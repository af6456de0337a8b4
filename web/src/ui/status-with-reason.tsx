import { Tooltip } from '@mantine/core'
import { type Status, StatusBadge } from './status-badge.tsx'

/** The state of a job; hovering tells why it is so, where there is a reason. */
export function StatusWithReason({ status, reason }: { status: Status; reason: string | null }) {
  return (
    <Tooltip label={reason} disabled={reason === null} multiline maw={380}>
      <span style={{ display: 'inline-flex', verticalAlign: 'middle' }}>
        <StatusBadge status={status} />
      </span>
    </Tooltip>
  )
}
