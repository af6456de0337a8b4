import { Badge } from '@mantine/core'
import IconCheck from '#icons/IconCheck'
import IconCalendarClock from '#icons/IconCalendarClock'
import IconClock from '#icons/IconClock'
import IconHourglass from '#icons/IconHourglass'
import IconPlayerPause from '#icons/IconPlayerPause'
import IconRestore from '#icons/IconRestore'
import IconSendOff from '#icons/IconSendOff'
import IconX from '#icons/IconX'

const good = { color: 'green', Icon: IconCheck }
const underWay = { color: 'blue', Icon: IconHourglass }
const bad = { color: 'red', Icon: IconX }
const atRest = { color: 'gray', Icon: IconPlayerPause }

/** States with the same meaning look the same, whatever object has them. */
const looks = {
  waiting: { color: 'gray', Icon: IconClock },
  upcoming: { color: 'gray', Icon: IconCalendarClock },
  invited: { color: 'gray', Icon: IconClock },
  processing: underWay,
  building: underWay,
  deleting: underWay,
  completed: good,
  ready: good,
  active: good,
  recovery: { color: 'orange', Icon: IconRestore },
  rejected: bad,
  'not delivered': { color: 'grape', Icon: IconSendOff },
  failed: bad,
  expired: bad,
  stopped: bad,
  terminated: bad,
  suspended: atRest,
  disabled: atRest,
  'partly disabled': atRest,
  paused: atRest,
  inactive: atRest,
} as const

export type Status = keyof typeof looks

/** A state: its word, with color and icon as a second sign. */
export function StatusBadge({ status }: { status: Status }) {
  const { color, Icon } = looks[status]
  return (
    <Badge color={color} miw="max-content" tt="none" fw={600} leftSection={<Icon size={12} stroke={2.2} aria-hidden />}>
      {status}
    </Badge>
  )
}
