import type { Schedule, ScheduleStatus } from '@portico/contract/scheduler/schedules'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconCalendarClock from '#icons/IconCalendarClock'
import IconCheck from '#icons/IconCheck'
import IconClock from '#icons/IconClock'
import IconClockOff from '#icons/IconClockOff'
import IconHourglass from '#icons/IconHourglass'
import IconPlayerSkipForward from '#icons/IconPlayerSkipForward'
import IconRestore from '#icons/IconRestore'
import IconStack2 from '#icons/IconStack2'
import css from './run-looks.module.css'

/** The class that gives an element with `data-status` the colour of that status, as `--run-color`. */
export const runClass = css['run'] ?? ''

const statusIcons: Record<ScheduleStatus, typeof IconClock> = {
  waiting: IconClock,
  processing: IconHourglass,
  recovery: IconRestore,
  completed: IconCheck,
  terminated: IconAlertTriangle,
  upcoming: IconCalendarClock,
}

const omissionIcons = { skipped: IconPlayerSkipForward, missed: IconClockOff, overlapping: IconStack2 } as const

/** The status of a run as an icon; one that did not run at all has its own. */
export function RunIcon({ run: { status, omission }, size }: { run: Schedule; size: number }) {
  const Icon = omission === null ? statusIcons[status] : omissionIcons[omission]
  return <Icon size={size} aria-hidden />
}

/** A dot in the colour of a status. The words beside it say which one. */
export function StatusDot({ status }: { status: ScheduleStatus }) {
  return <span className={`${runClass} ${css['dot'] ?? ''}`} data-status={status} aria-hidden />
}

/** The status in words: 'terminated (missed)'. */
export const statusInWords = ({ status, omission }: Schedule): string =>
  omission === null ? status : `${status} (${omission})`
