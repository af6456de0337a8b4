import { Badge } from '@mantine/core'
import IconCheck from '#icons/IconCheck'
import IconClock from '#icons/IconClock'
import IconHourglass from '#icons/IconHourglass'
import IconRestore from '#icons/IconRestore'
import IconX from '#icons/IconX'

const looks = {
  waiting: { color: 'gray', Icon: IconClock },
  processing: { color: 'blue', Icon: IconHourglass },
  completed: { color: 'green', Icon: IconCheck },
  recovery: { color: 'orange', Icon: IconRestore },
  rejected: { color: 'red', Icon: IconX },
} as const

export type Status = keyof typeof looks

/** The state of a job: its word, with colour and icon as a second sign. */
export function StatusBadge({ status }: { status: Status }) {
  const { color, Icon } = looks[status]
  return (
    <Badge color={color} miw="max-content" tt="none" fw={600} leftSection={<Icon size={12} stroke={2.2} aria-hidden />}>
      {status}
    </Badge>
  )
}
