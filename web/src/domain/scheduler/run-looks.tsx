import type { RunState, Schedule } from '@portico/contract/scheduler/schedules'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconCalendarClock from '#icons/IconCalendarClock'
import IconCheck from '#icons/IconCheck'
import IconClock from '#icons/IconClock'
import IconClockOff from '#icons/IconClockOff'
import IconHourglass from '#icons/IconHourglass'
import IconPlayerSkipForward from '#icons/IconPlayerSkipForward'
import IconRestore from '#icons/IconRestore'
import IconSendOff from '#icons/IconSendOff'
import IconStack2 from '#icons/IconStack2'
import css from './run-looks.module.css'

/** The class that sets `--run-color` on an element with `data-status` to the color of that state. */
export const runClass = css['run'] ?? ''

const stateIcons: Record<RunState, typeof IconClock> = {
  waiting: IconClock,
  processing: IconHourglass,
  recovery: IconRestore,
  completed: IconCheck,
  undelivered: IconSendOff,
  terminated: IconAlertTriangle,
  upcoming: IconCalendarClock,
}

const omissionIcons = { skipped: IconPlayerSkipForward, missed: IconClockOff, overlapping: IconStack2 } as const

/** The state of a run as an icon; a run that did not happen has its own. */
export function RunIcon({ run: { state, omission }, size }: { run: Schedule; size: number }) {
  const Icon = omission === null ? stateIcons[state] : omissionIcons[omission]
  return <Icon size={size} aria-hidden />
}

/** A dot in the color of a state. The text next to it names the state. */
export function StateDot({ state }: { state: RunState }) {
  return <span className={`${runClass} ${css['dot'] ?? ''}`} data-status={state} aria-hidden />
}

/** 'not delivered' for a run whose file did not arrive, else the word on the wire. */
export const stateName = (state: RunState) => (state === 'undelivered' ? ('not delivered' as const) : state)

/** The state in words: 'terminated (missed)'. */
export const stateInWords = ({ state, omission }: Schedule): string =>
  omission === null ? stateName(state) : `${state} (${omission})`
